export interface AlertText {
  readonly title: string;
  readonly action: string;
}

/** All alerts, by the name in a log line's `alert` field. A test keeps `docs/operations/alerts.md` in sync. */
export const alerts = {
  'backup-copy-failed': {
    title: 'The newest backup or the erasure log could not be copied to BACKUP_REPOSITORY.',
    action:
      'The backup in BACKUP_DIR exists. `ops backup --check` shows the error. The copy is retried every ten minutes.',
  },
  'backup-copy-late': {
    title: 'The newest backup in BACKUP_REPOSITORY is older than 26 hours, or there is none.',
    action:
      'Ensure that the backup service runs (`docker compose ps`) and read its log. `ops backup` makes and copies a backup immediately. `ops doctor` shows what is wrong with the repository.',
  },
  'backup-failed': {
    title: 'The daily backup failed.',
    action:
      'Check the reason, and the disk that holds BACKUP_DIR. The backup is retried every ten minutes. `ops backup` makes one immediately.',
  },
  'backup-late': {
    title: 'The newest backup is older than 26 hours, or there is none.',
    action:
      'Ensure that the backup service runs (`docker compose ps`) and read its log. `ops backup` makes a backup immediately.',
  },
  'certificate-expiring': {
    title: 'The site’s certificate expires within 14 days, has expired, or belongs to another host.',
    action:
      'With TLS=files install a new certificate. Otherwise the proxy’s log shows why the renewal failed. docs/operations/certificates.md describes both cases.',
  },
  'check-failed': {
    title: 'A check of the site failed.',
    action: '`ops doctor` shows what is wrong and what to do.',
  },
  'database-not-durable': {
    title: 'PostgreSQL may lose stored requests in a power failure.',
    action: 'Set fsync and full_page_writes to on in PostgreSQL.',
  },
  'database-refuses-writes': {
    title: 'PostgreSQL is read-only or its disk is full. No request can be stored.',
    action:
      'Free space on its disk (docs/operations/troubleshooting.md, The disk is full), or set DATABASE_URL to the server that accepts writes. Meanwhile visitors are asked to try again.',
  },
  'database-unreachable': {
    title: 'The worker has not reached PostgreSQL for minutes. Requests are refused and nothing is sent.',
    action:
      'Ensure that PostgreSQL runs and accepts connections. `ops doctor` shows what is wrong. Meanwhile visitors are asked to try again.',
  },
  'deliveries-held': {
    title: 'Deliveries are on hold. Nothing is mailed or exported until somebody releases them.',
    action:
      'A backup was restored, or somebody ran `ops deliveries hold`. `ops deliveries release` shows what would be sent; `ops deliveries release --yes` sends it.',
  },
  'delivery-dead': {
    title: 'A mail, an export or an announcement failed permanently.',
    action:
      'Call the visitor if nobody has. `ops deliveries list` shows dead deliveries and the reasons. Fix the cause, then run `ops deliveries retry --dead`. Use `ops deliveries cancel` for deliveries that nobody needs any more.',
  },
  'delivery-overdue': {
    title: 'A mail, an export or an announcement is late.',
    action:
      'Sales may not know about a request. `ops submissions list --open` shows all open requests. `ops deliveries list` shows the last error. Once its cause is fixed, mails are sent within five minutes. Ensure that the worker runs.',
  },
  'disk-low': {
    title: 'Less than 15% of a disk is free.',
    action:
      'Free space: old images, build caches and backups (docs/operations/troubleshooting.md, The disk is full). When PostgreSQL’s disk is full, no request can be stored.',
  },
  'erasure-log-incomplete': {
    title: 'The erasure log is missing, or older than the database. A restored backup would contain erased people.',
    action: '`ops doctor` shows what is wrong with it and what to restore.',
  },
  'form-unreachable': {
    title: 'Two trial requests in a row were not accepted. Visitors may not be able to send the form.',
    action:
      '`ops doctor` tries the form again and shows the result. Then open the contact page yourself. A frequent cause is that your own proxy’s address or scheme differs from PUBLIC_URL (docs/operations/own-proxy.md).',
  },
  'image-old': {
    title: 'The images are older than 45 days and lack the security fixes since then.',
    action:
      'Rebuild them (`deploy/upgrade.sh`) or install the next release. docs/operations/upgrade.md describes both.',
  },
  'kind-paused': {
    title: 'All deliveries of one kind are paused, because the receiver refuses the credentials or the address.',
    action:
      '`ops crm test` shows what is wrong (for the kind chat, `ops alerts test`). Correct the setting and restart the worker (in the stack `deploy/apply-settings.sh`), which ends the pause.',
  },
  'mail-configuration': {
    title: 'The mail server refuses the login or has no valid certificate. Mails to sales wait.',
    action:
      'Correct SMTP_URL and restart the worker (in the stack `deploy/apply-settings.sh`), or correct the certificate. `ops mail test` shows the server’s response. Meanwhile `ops submissions list --open` shows the requests.',
  },
  'metrics-off': {
    title: 'The metrics server could not listen.',
    action: 'Give METRICS_PORT a free port and restart the process. The site runs without it.',
  },
  'page-broken': {
    title: 'A page could not be rendered. Its visitors get an error page.',
    action:
      'The log of web shows the page and where the error occurred (`docker compose logs web`). If the errors began after an upgrade, go back to the previous version (docs/operations/upgrade.md).',
  },
  'privacy-upkeep-failed': {
    title: 'Old or restored personal data could not be erased.',
    action:
      'Ensure that ERASURES_DIR and the erasure log in it can be read and written, that PostgreSQL runs, and that the clocks are right (`ops retention` shows which one looks wrong). The erasure is retried every ten minutes.',
  },
  'queue-out-of-order': {
    title: 'Redis is full or refuses jobs. Mails are sent without it, but more slowly.',
    action: 'Check Redis’s memory and disk. `ops doctor` shows what to set. It is safe to delete Redis’s data.',
  },
  'recipient-refused': {
    title: 'The mail server refuses one of several recipients permanently.',
    action: 'Correct the addresses in SALES_EMAIL. `ops mail test` lists the refused ones. The other recipients got the mail.',
  },
  'redis-loses-jobs': {
    title: 'Redis is configured in a way that may lose jobs.',
    action: 'Set maxmemory-policy to noeviction and appendonly to yes. Lost jobs are added again with a delay.',
  },
  'rehearsal-failed': {
    title: 'The last restore rehearsal failed, the restored rows differed, or no rehearsal has run for more than eight days.',
    action:
      'The site may have no backup that can be restored, so find the cause. `ops backup --rehearse` makes a backup and rehearses its restore immediately. Otherwise the next daily backup is rehearsed. A rehearsal needs DATABASE_ADMIN_URL, or a role that may create databases. To stop rehearsals, remove rehearsal.json in BACKUP_DIR.',
  },
  'request-forgotten': {
    title: 'A request is unanswered although sales has been mailed about it on 14 mornings since the promised time.',
    action:
      'Ask sales to answer it, or to settle it with the link in any mail about it. `ops submissions list --overdue` shows all overdue requests. Ensure that people read the mails to SALES_EMAIL.',
  },
  'schema-mismatch': {
    title: 'For several minutes, a worker has found a different version of the database schema. It sends nothing.',
    action:
      'Run the migrations (`docker compose run --rm migrate`), or install the newer version if the schema is newer. `ops doctor` shows which case applies.',
  },
  'worker-hangs': {
    title: 'A worker hung for minutes and exited.',
    action: 'Ensure that it runs again (`docker compose ps`). If this repeats, read its log.',
  },
} as const satisfies Readonly<Record<string, AlertText>>;

export type AlertName = keyof typeof alerts;

export const isAlertName = (name: unknown): name is AlertName =>
  typeof name === 'string' && Object.hasOwn(alerts, name);
