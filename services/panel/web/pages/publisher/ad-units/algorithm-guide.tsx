import { Badge, Group, Text } from '@mantine/core'
import classes from './algorithm-guide.module.css'
import { type AlgorithmName, algorithms, type ParameterName, parameters } from './algorithms.ts'

/** Describes what an algorithm shows and which parameters it takes. */
export function AlgorithmGuide({ algorithm }: { algorithm: AlgorithmName }) {
  const { sentence, needs, takes } = algorithms[algorithm]
  return (
    <div className={classes.guide}>
      <Text size="sm">{sentence}</Text>
      <dl className={classes.parameters}>
        <dt>A request needs</dt>
        <dd>
          {needs.length === 0 && 'nothing but the ad unit and adCount'}
          {needs.map((group) => (
            <Group key={group.join()} gap={6}>
              {group.map((name, i) => (
                <Group key={name} gap={6}>
                  {i > 0 && <Text size="xs">or</Text>}
                  <Parameter name={name} isNeeded />
                </Group>
              ))}
            </Group>
          ))}
        </dd>
        <dt>It may carry</dt>
        <dd>
          <Group gap={6}>
            {takes.map((name) => (
              <Parameter key={name} name={name} />
            ))}
          </Group>
        </dd>
      </dl>
    </div>
  )
}

function Parameter({ name, isNeeded = false }: { name: ParameterName; isNeeded?: boolean }) {
  return (
    <Badge
      variant={isNeeded ? 'filled' : 'default'}
      radius="sm"
      tt="none"
      fw={500}
      ff="monospace"
      title={parameters[name].label}
    >
      {name}
    </Badge>
  )
}
