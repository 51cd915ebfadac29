import { t } from '../../messages/shell.ts'

/** The logo of Endcap, without its name. */
export function Logo() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" role="img" aria-label={t('endcap')}>
      <rect width="32" height="32" rx="7" fill="#3b5bdb" />
      <path d="M8 9h16v3H8zm0 5.5h11v3H8zm0 5.5h16v3H8z" fill="#fff" />
    </svg>
  )
}
