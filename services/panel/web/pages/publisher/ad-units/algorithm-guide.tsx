import { Badge, Group, Text } from '@mantine/core'
import { t } from '../../../messages/pages/shop/algorithms.ts'
import classes from './algorithm-guide.module.css'
import { type AlgorithmName, algorithms, type ParameterName } from './algorithms.ts'

export interface AlgorithmGuideProps {
  algorithm: AlgorithmName
  /** Names parameters as the API does, for use next to code. */
  isCode?: boolean
}

/** Describes what an algorithm shows and which parameters it takes. */
export function AlgorithmGuide({ algorithm, isCode = false }: AlgorithmGuideProps) {
  const { needs, takes } = algorithms[algorithm]
  return (
    <div className={classes.guide}>
      <Text size="sm">{t(`${algorithm}_about`)}</Text>
      <dl className={classes.parameters}>
        <dt>{t('required')}</dt>
        <dd>
          {needs.length === 0 && t('nothingRequired')}
          {needs.map((group) => (
            <Group key={group.join()} gap={6}>
              {group.map((name, i) => (
                <Group key={name} gap={6}>
                  {i > 0 && <Text size="xs">{t('or')}</Text>}
                  <Parameter name={name} isCode={isCode} isNeeded />
                </Group>
              ))}
            </Group>
          ))}
        </dd>
        <dt>{t('optional')}</dt>
        <dd>
          <Group gap={6}>
            {takes.map((name) => (
              <Parameter key={name} name={name} isCode={isCode} />
            ))}
          </Group>
        </dd>
      </dl>
    </div>
  )
}

function Parameter({ name, isCode, isNeeded = false }: { name: ParameterName; isCode: boolean; isNeeded?: boolean }) {
  const font = isCode ? { ff: 'monospace', title: t(name) } : {}
  return (
    <Badge variant={isNeeded ? 'filled' : 'default'} radius="sm" tt="none" fw={500} {...font}>
      {isCode ? name : t(name)}
    </Badge>
  )
}
