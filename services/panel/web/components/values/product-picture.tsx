import { IconPhotoOff } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './product-picture.module.css'

export interface ProductPictureProps {
  src: string
  /** The alternative text; empty when the title is next to the picture. */
  alt?: string
  /** Side of the square, in pixels. */
  size?: number
}

/** A product's picture, from the address in the feed, in a square of fixed size; an icon where it cannot be loaded. */
export function ProductPicture({ src, alt = '', size = 40 }: ProductPictureProps) {
  const [failed, setFailed] = useState('')
  return (
    <span className={classes.square} style={{ width: size, height: size }}>
      {failed === src || src === '' ? (
        <IconPhotoOff size={Math.min(24, size / 2)} aria-label={alt || undefined} aria-hidden={alt === ''} />
      ) : (
        <img src={src} alt={alt} width={size} height={size} loading="lazy" onError={() => setFailed(src)} />
      )}
    </span>
  )
}
