import { describe, expect, it } from 'vitest'
import { settingNames } from '../../../infra/config.ts'
import { misspeltSettings } from '../../../services/process/misspelt-settings.ts'

describe('settings whose names are misspelt', () => {
  it.each([
    ['HTTP_PROT', 'HTTP_PORT'],
    ['http_port', 'HTTP_PORT'],
    ['KAFKA_BROKER', 'KAFKA_BROKERS'],
    ['LIMIT_ACCOUNT_CAMPAIGN', 'LIMIT_ACCOUNT_CAMPAIGNS'],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['ROLE', 'ROLES'],
    ['DEMO_PROT', 'DEMO_PORT'],
  ])('%s is told, with the name that is meant: %s', (given, meant) => {
    expect(misspeltSettings({ [given]: 'a-secret' }, [...settingNames, 'DEMO_PORT'])).toEqual([
      `${given} is not a setting and has no effect. Did you mean ${meant}?`,
    ])
  })

  it('are none of those that are spelt well, nor what other programs and Kubernetes set', () => {
    const others = [
      'PATH',
      'HOME',
      'HOST',
      'HOSTNAME',
      'PORT',
      'PWD',
      'SHELL',
      'USER',
      'LANG',
      'TERM',
      'TZ',
      'NODE_ENV',
    ]
    const links = [
      'KAFKA_PORT',
      'REDIS_PORT',
      'REDIS_SERVICE_HOST',
      'CLICKHOUSE_PORT',
      'ELASTICSEARCH_SERVICE_PORT_HTTP',
    ]
    const names = [...settingNames, ...others, ...links]
    expect(misspeltSettings(Object.fromEntries(names.map((name) => [name, 'x'])), settingNames)).toEqual([])
  })
})
