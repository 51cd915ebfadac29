import { Button, Group, Slider, Stack, Text } from '@mantine/core'
import { type PointerEvent, useEffect, useState } from 'react'
import { Dialog } from '../../../components/form/dialog.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import { areaOf, type Framing, type Size, zoomMax } from './crop.ts'
import classes from './image-field.module.css'
import { croppedPicture } from './picture-file.ts'

const CENTRE: Framing = { zoom: 1, across: 0.5, down: 0.5 }
const STEPS = 100

export interface CropDialogProps {
  file: File
  picture: Size
  /** The required size. */
  target: Size
  isBusy: boolean
  onDone: (cropped: Blob) => void
  onClose: () => void
}

/** Lets the user choose a part of a larger picture by dragging or with sliders. */
export function CropDialog({ file, picture, target, isBusy, onDone, onClose }: CropDialogProps) {
  const [framing, setFraming] = useState(CENTRE)
  const set = (change: Partial<Framing>) => setFraming((before) => ({ ...before, ...change }))
  const most = zoomMax(picture, target)
  const area = areaOf(picture, target, framing)
  return (
    <Dialog opened onClose={onClose} title={t('cropTitle')} size="lg" centered>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('cropHelp', { ...picture, targetWidth: target.width, targetHeight: target.height })}
        </Text>
        <Frame file={file} picture={picture} target={target} framing={framing} onMove={set} />
        {most > 1 && (
          <ShareSlider label={t('zoom')} min={1} max={most} value={framing.zoom} onChange={(zoom) => set({ zoom })} />
        )}
        {area.width < picture.width && (
          <ShareSlider label={t('across')} value={framing.across} onChange={(across) => set({ across })} />
        )}
        {area.height < picture.height && (
          <ShareSlider label={t('down')} value={framing.down} onChange={(down) => set({ down })} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button loading={isBusy} onClick={async () => onDone(await croppedPicture(file, target, framing))}>
            {t('useThisPart')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface ShareSliderProps {
  label: string
  min?: number
  max?: number
  value: number
  onChange: (value: number) => void
}

function ShareSlider({ label, min = 0, max = 1, ...props }: ShareSliderProps) {
  return (
    <div>
      <Text size="sm" fw={500} aria-hidden>
        {label}
      </Text>
      <Slider thumbLabel={label} min={min} max={max} step={(max - min) / STEPS} label={null} {...props} />
    </div>
  )
}

interface FrameProps extends Pick<CropDialogProps, 'file' | 'picture' | 'target'> {
  framing: Framing
  onMove: (change: Pick<Framing, 'across' | 'down'>) => void
}

/** The chosen part, which the user drags. */
function Frame({ file, picture, target, framing, onMove }: FrameProps) {
  const url = useObjectUrl(file)
  const area = areaOf(picture, target, framing)
  function move({ movementX, movementY, buttons, currentTarget }: PointerEvent<HTMLDivElement>) {
    if (buttons === 0) return
    const scale = area.width / currentTarget.clientWidth
    const [spareX, spareY] = [picture.width - area.width, picture.height - area.height]
    onMove({
      across: spareX < 1 ? framing.across : within01(framing.across - (movementX * scale) / spareX),
      down: spareY < 1 ? framing.down : within01(framing.down - (movementY * scale) / spareY),
    })
  }
  const ratio = target.width / target.height
  return (
    <div
      className={classes.frame}
      style={{ aspectRatio: ratio, width: `min(100%, ${50 * ratio}vh)` }}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={move}
    >
      {url && (
        <img
          src={url}
          alt={t('cropAlt')}
          style={{
            width: `${(100 * picture.width) / area.width}%`,
            left: `${(-100 * area.x) / area.width}%`,
            top: `${(-100 * area.y) / area.height}%`,
          }}
        />
      )}
    </div>
  )
}

const within01 = (share: number) => Math.min(1, Math.max(0, share))

function useObjectUrl(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
