import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { expect, it } from 'vitest'
import { smtpMailer } from '../../infra/mail.ts'

it('hands a message to the mail server of the settings, as it signs in there', async () => {
  const received: { user: string; from: string; to: string[]; text: string }[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 's3cret' ? done(null, { user: username! }) : done(new Error('no')),
    onData(stream, { user, envelope }, done) {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        received.push({ user: String(user), from, to: envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const config = { url: `smtp://ads:s3cret@127.0.0.1:${port}`, from: 'Endcap <ads@shop.example>' }
  await smtpMailer(config)({ to: 'ada@shop.example', subject: 'Hello', text: 'A line with żółw.\n' })
  expect(received).toMatchObject([{ user: 'ads', from: 'ads@shop.example', to: ['ada@shop.example'] }])
  expect(received[0]!.text).toContain('Subject: Hello')
  const wrong = smtpMailer({ ...config, url: `smtp://ads:wrong@127.0.0.1:${port}` })
  await expect(wrong({ to: 'a@b.example', subject: 'x', text: 'x' })).rejects.toThrow()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})
