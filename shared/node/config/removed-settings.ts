const ARCHIVE =
  'the archive of the write-ahead log was removed, set several times of day in BACKUP_AT, or use pgBackRest with a PostgreSQL of your own';

/** Settings of earlier versions, each with the reason for its removal. A `.env` that still has one gets a warning. */
export const removedSettings: ReadonlyMap<string, string> = new Map([
  ['DIGEST_AT', 'the daily digest was removed, reminders and the weekly report (REPORT_AT) cover it'],
  ['IMAGE_PREFIX', 'the compose file of a release names its images itself'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'traces were removed, log lines link a request to its deliveries by their ids'],
  ['ARCHIVE_DIR', ARCHIVE],
  ['DATABASE_ARCHIVE_URL', ARCHIVE],
]);
