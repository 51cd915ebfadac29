import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'
import { encode } from '../../schemas/wire/codec.ts'
import { encodeOffsetMetadata, SINK_GROUP } from '../../streams/sink/offset-metadata.ts'
import { type Program, startProgram } from '../program.ts'
import { samples } from '../schemas/samples.ts'
import { waitFor } from '../wait-for.ts'

describe('the program', () => {
  let folder: string
  let dataFolder: string
  let compiledFolder: string
  let program: Program
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'main-'))
    dataFolder = join(folder, 'data')
    compiledFolder = join(folder, 'compiled')
    await mkdir(join(dataFolder, 'log'), { recursive: true, mode: 0o755 })
    const env = { NODE_COMPILE_CACHE: compiledFolder, LOG_LEVELS: 'debug' }
    program = await startProgram({ folder: dataFolder, env, logFile: join(folder, 'output') })
  })
  afterAll(async () => {
    await program?.kill('SIGKILL')
    await rm(folder, { recursive: true })
  })

  it('keeps its files to its user, what an earlier version left open too, and serves no metrics beside the API', async () => {
    const open: string[] = []
    for (const entry of await readdir(dataFolder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const { mode } = await stat(path).catch(() => ({ mode: 0 }))
      if ((mode & 0o077) !== 0) open.push(`${path} ${(mode & 0o777).toString(8)}`)
    }
    expect(open).toEqual([])
    expect((await stat(join(dataFolder, 'log/event-log.db'))).mode & 0o777).toBe(0o600)
    expect((await program.call('GET', '/metrics')).status).toBe(404)
    expect((await program.call('GET', '/metrics/')).status).toBe(404)
    await expect.poll(() => program.metrics()).toContain('endcap_stream_lag_records')
  })

  it('says which settings are misspelt, and leaves compiled code for the next start, also when it is killed', async () => {
    const output = await readFile(join(folder, 'output'), 'utf8')
    expect(output).toMatch(/^LOG_LEVELS is not a setting .* Did you mean LOG_LEVEL\?$/m)
    const compiled = async () => (await readdir(compiledFolder, { recursive: true })).length
    await waitFor(async () => (await compiled()) > 100)
    await program.kill('SIGKILL')
    expect(await compiled()).toBeGreaterThan(100)
  })
})

it('names, where it is asked whether it is ready and in its metrics, what waits for a newer version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waiting-'))
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const value = encode('PageView', samples.PageView)
  value.writeBigUInt64LE(0x0123456789abcdefn, 2)
  const { partition } = (await log.append([{ topic: 'page-views', key: 'cid', value }]))[0]!
  await log.close()

  const program = await startProgram({ folder, readyStatus: 503 })
  const reasons = async () =>
    (await program.call<{ reasons?: { streams?: string } }>('GET', '/health/ready')).body.reasons?.streams
  await waitFor(async () => (await reasons()) !== undefined)
  expect(await reasons()).toMatch(
    new RegExp(`^sink, page-views/${partition}: PageView of schema 123456789abcdef needs a newer version`),
  )
  await expect
    .poll(() => program.metrics())
    .toContain('endcap_stream_paused_partitions{stream="sink",topic="page-views"} 1')
  expect(await program.metrics()).toContain('endcap_dead_letters 0')
  await program.stop()
})

it('does not go on in other tables than those in which the rows so far are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const metadata = encodeOffsetMetadata({ epoch: 1, pendingLast: null, store: 'another' })
  await log.reset(SINK_GROUP, [{ topic: 'page-views', partition: 0, offset: 0, metadata }])
  await log.close()

  const logFile = join(folder, 'output')
  await expect(startProgram({ folder, logFile })).rejects.toThrow('the program ended with 1')
  expect(await readFile(logFile, 'utf8')).toMatch(
    /^CLICKHOUSE_URL, or DATA_DIR without it, leads to another store .* run make rebuild$/m,
  )
  await rm(folder, { recursive: true })
})

describe('a start names the setting', () => {
  const other = createServer()
  let taken: string
  let folder: string
  beforeAll(async () => {
    await once(other.listen(0, '127.0.0.1'), 'listening')
    taken = String((other.address() as AddressInfo).port)
    folder = await mkdtemp(join(tmpdir(), 'taken-'))
  })
  afterAll(async () => {
    other.close()
    await rm(folder, { recursive: true })
  })

  /** What the program says before it ends. */
  async function refusal(env: Record<string, string>): Promise<string> {
    const logFile = join(folder, 'output')
    await expect(startProgram({ folder: join(folder, 'data'), env, logFile })).rejects.toThrow(
      'the program ended with 1',
    )
    return readFile(logFile, 'utf8').finally(() => rm(logFile))
  }

  /** Starts the program with engines at addresses. @returns why it waits for each of them, in the order of the settings. */
  async function waitsFor(addresses: Record<string, string>): Promise<string[]> {
    const logFile = join(folder, 'waiting')
    const end = new AbortController()
    const env = { ...addresses, LOG_LEVEL: 'warn' }
    const started = startProgram({ folder: join(folder, 'data'), env, logFile, signal: end.signal }).catch(() => null)
    const reasons = async () => {
      const output = await readFile(logFile, 'utf8').catch(() => '')
      const told = Object.keys(addresses).map((setting) =>
        new RegExp(`"setting":"${setting}","reason":"(.*)","msg":"an engine is unavailable: waiting for it"`).exec(
          output,
        ),
      )
      return told.map((each) => each?.[1])
    }
    try {
      const outcome = waitFor(async () => !(await reasons()).includes(undefined)).then(() => null)
      expect(await Promise.race([outcome, started])).toBe(null)
      return (await reasons()) as string[]
    } finally {
      end.abort()
      await started
      await rm(logFile)
    }
  }

  it.each(['HTTP_PORT', 'METRICS_PORT'])('of a port that another program has: %s', async (setting) => {
    expect(await refusal({ [setting]: taken })).toBe(`${setting} must be a free port, not ${taken}\n`)
  })

  it('of a data folder that cannot be made', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    expect(await refusal({ DATA_DIR: join(file, 'data') })).toBe(
      `DATA_DIR must be a folder: ENOTDIR: not a directory, mkdir '${file}/data'\n`,
    )
  })

  it('of a folder for temporary files that cannot be used', async () => {
    const none = join(folder, 'none')
    expect(await refusal({ WORKERS: '2', TMPDIR: none })).toContain(
      `TMPDIR must be a folder with room for a socket, which WORKERS over 1 needs: ENOENT: no such file or directory, mkdtemp '${none}/`,
    )
  })

  it('of a data folder whose files are not those of the program', async () => {
    await mkdir(join(folder, 'foreign/counters'), { recursive: true })
    await writeFile(join(folder, 'foreign/counters/counters.sqlite'), 'not SQLite '.repeat(1_000))
    expect(await refusal({ DATA_DIR: join(folder, 'foreign') })).toBe(
      `DATA_DIR: a file in ${join(folder, 'foreign')} cannot be opened: file is not a database\n`,
    )
  })

  it('of a data folder that another program uses', async () => {
    const used = join(folder, 'used')
    const log = await openEmbeddedEventLog({ folder: join(used, 'log') })
    expect(await refusal({ DATA_DIR: used })).toBe(
      `DATA_DIR: the event log in ${join(used, 'log')} is in use by another process: stop that one first\n`,
    )
    await log.close()
  })

  it('of a data folder whose log goes on in Kafka, and how to go on here', async () => {
    const moved = join(folder, 'moved')
    await mkdir(moved)
    await writeFile(join(moved, 'log-id'), 'an id')
    const said = await refusal({ DATA_DIR: moved })
    expect(said).toMatch(new RegExp(`^DATA_DIR: make migrate has copied the log in ${moved} into Kafka, .*\n$`))
    expect(said).toContain(`delete ${join(moved, 'log-id')}\n`)
    await expect(stat(join(moved, 'log'))).rejects.toThrow('ENOENT')
  })

  it('of a data folder whose keys are damaged', async () => {
    const file = join(folder, 'damaged/show-id-keys')
    await mkdir(join(folder, 'damaged'))
    await writeFile(file, 'x')
    expect(await refusal({ DATA_DIR: join(folder, 'damaged') })).toMatch(
      new RegExp(`^DATA_DIR: ${file} does not hold keys: .*\n$`),
    )
  })

  it('of engines that it waits for, and why', async () => {
    const addresses = { CLICKHOUSE_URL: 'http://127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' }
    const refused = expect.stringContaining('ECONNREFUSED')
    expect(await waitsFor(addresses)).toEqual([refused, refused])
    const [cluster] = await waitsFor({ REDIS_URL: 'redis+cluster://127.0.0.1:1' })
    expect(cluster).toMatch(/127\.0\.0\.1:1 cannot be reached .*ECONNREFUSED/)
  })

  it.each([
    [200, /is not ClickHouse/],
    [404, /is not ClickHouse: check CLICKHOUSE_URL.*Welcome/],
  ])('of engines with the address of another server, which answers %i', async (status, isNotClickHouse) => {
    const web = createWebServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    })
    await once(web.listen(0, '127.0.0.1'), 'listening')
    const address = `127.0.0.1:${(web.address() as AddressInfo).port}`
    const [CLICKHOUSE_URL, REDIS_URL] = [`http://${address}`, `redis://${address}`]
    expect(await waitsFor({ CLICKHOUSE_URL, ELASTICSEARCH_URL: CLICKHOUSE_URL, REDIS_URL })).toEqual([
      expect.stringMatching(isNotClickHouse),
      expect.stringContaining('is not Elasticsearch'),
      expect.stringMatching(/is no Redis|EPIPE|ECONNRESET/),
    ])
    web.close()
    web.closeAllConnections()
  })

  it('of an address that this machine does not have', async () => {
    expect(await refusal({ HTTP_HOST: '192.0.2.1' })).toBe(
      'HTTP_HOST must be an address of this machine, not 192.0.2.1\n',
    )
  })
})
