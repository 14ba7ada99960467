import type { Command } from 'commander';
import { UNKNOWN, type Image } from '../../shared/node/monitoring/image.ts';
import { listFreeShares, listInstallationProblems } from '../../shared/node/monitoring/assess-installation.ts';
import { Second } from '../../shared/time.ts';
import { withSession, type CommandContext, type Session } from '../cli/session.ts';
import { formatDuration, formatTime, toJson } from '../cli/terminal.ts';
import { readStatus, type Status } from '../status/read-status.ts';

/** A line of the screen; `needsAttention` marks it. */
interface Line {
  readonly label: string;
  readonly text: string;
  readonly needsAttention?: boolean;
}

const describeImage = ({ created, revision }: Image): string =>
  `built ${formatTime(new Date(created))} UTC${revision === UNKNOWN ? '' : `, revision ${revision}`}`;

/** `follow-up 9, crm-export 3`, without those that are 0. */
const listCounts = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

function listOwed({ requests, deliveries, workers }: Status): readonly Line[] {
  const { owed, waiting } = deliveries;

  return [
    { label: 'requests', text: `${requests.open} wait for an answer, ${requests.held} held as possible spam` },
    { label: 'deliveries', text: listCounts(owed) + (waiting > 0 ? `; ${waiting} wait for a provider` : '') },
    workers > 0
      ? { label: 'worker', text: 'connected' }
      : { label: 'worker', text: 'none is connected: nothing is sent', needsAttention: true },
  ];
}

function listLate({ requests, deliveries }: Status): readonly Line[] {
  const { late, dead, paused, isHeld } = deliveries;
  const lateText = [...late].map(([kind, ms]) => `${kind} by ${formatDuration(ms)}`).join(', ');

  return [
    {
      label: 'answers',
      text: requests.overdue === 0 ? 'none' : `${requests.overdue}: ops submissions list --overdue`,
      needsAttention: requests.overdue > 0,
    },
    {
      label: 'deliveries',
      text: lateText === '' ? 'none' : `${lateText}: ops deliveries list --overdue`,
      needsAttention: late.size > 0,
    },
    ...(dead === 0 ? [] : [{ label: 'dead', text: `${dead}: ops deliveries list --state dead`, needsAttention: true }]),
    ...(paused.length === 0 ? [] : [{ label: 'paused', text: `${paused.join(', ')}: ops doctor`, needsAttention: true }]),
    ...(isHeld ? [{ label: 'on hold', text: 'everything: ops deliveries release', needsAttention: true }] : []),
  ];
}

const describeTime = (time: Date, now: number): string =>
  `${formatTime(time)} UTC, ${formatDuration(now - time.getTime())} ago`;

function describeBackup({ makes, newestAt }: Status['installation']['backup'], now: number): string {
  if (!makes) return 'none are made here';
  if (!newestAt) return 'none that can be read: ops doctor';

  return describeTime(newestAt, now);
}

function describeCertificate(certificate: Status['installation']['certificate'], now: number): string {
  if (!certificate) return 'unknown here, or no HTTPS';
  const left = certificate.validUntil.getTime() - now;
  const day = certificate.validUntil.toISOString().slice(0, 10);
  const validity = left > 0 ? `valid until ${day}, for ${formatDuration(left)}` : `was valid until ${day}`;

  return certificate.namesHost ? validity : `of another host, ${validity}`;
}

/** The backup, and what becomes of it where that is set up. */
function listBackups({ installation }: Status, raised: ReadonlySet<string>, now: number): readonly Line[] {
  const { backup, copy, rehearsal } = installation;
  const failed = rehearsal && rehearsal.error !== null;

  return [
    { label: 'last backup', text: describeBackup(backup, now), needsAttention: raised.has('backup-late') },
    ...(copy
      ? [
          {
            label: 'last copy',
            text: copy.succeeded_at ? describeTime(copy.succeeded_at, now) : 'never',
            needsAttention: raised.has('backup-copy-late'),
          },
        ]
      : []),
    ...(rehearsal
      ? [
          {
            label: 'rehearsal',
            text: `${failed ? 'failed ' : ''}${describeTime(rehearsal.rehearsed_at, now)}`,
            needsAttention: failed || raised.has('rehearsal-late'),
          },
        ]
      : []),
  ];
}

function listInstallation(status: Status, now: number): readonly Line[] {
  const { installation } = status;
  const { certificate, image, erasureLog } = installation;
  const raised = new Set<string>(listInstallationProblems(installation, now).map(({ alert }) => alert));
  const shares = listFreeShares(installation).map(([use, share]) => `${use} ${Math.floor(share * 100)} %`);

  return [
    ...listBackups(status, raised, now),
    {
      label: 'certificate',
      text: describeCertificate(certificate, now),
      needsAttention: raised.has('certificate-expiring') || certificate?.namesHost === false,
    },
    { label: 'disk free', text: shares.join(', '), needsAttention: raised.has('disk-low') },
    {
      label: 'image',
      text: image ? describeImage(image) : 'this runs in none',
      needsAttention: raised.has('image-old'),
    },
    {
      label: 'erasure log',
      text: raised.has('erasure-log-incomplete') ? `${erasureLog}: ops doctor` : (erasureLog ?? 'unknown'),
      needsAttention: raised.has('erasure-log-incomplete'),
    },
  ];
}

function listVersions({ versions: { site, node, postgres, redis }, isRedisAway }: Status): readonly Line[] {
  const ofRedis = redis === null ? `no Redis${isRedisAway ? ' at REDIS_URL' : ''}` : `Redis ${redis}`;

  return [
    { label: 'site', text: `${site} on Node.js ${node}` },
    { label: 'servers', text: `PostgreSQL ${postgres}, ${ofRedis}`, needsAttention: isRedisAway },
  ];
}

/** The status with names as the database's and the metrics'; sizes in bytes. */
function toJsonStatus({ requests, deliveries, workers, installation, versions }: Status, now: number) {
  const { backup, copy, rehearsal, certificate, disks, image, erasureLog } = installation;

  return {
    time: new Date(now),
    requests,
    deliveries: {
      owed: Object.fromEntries(deliveries.owed),
      late_seconds: Object.fromEntries([...deliveries.late].map(([kind, ms]) => [kind, Math.round(ms / Second)])),
      dead: deliveries.dead,
      without_provider: deliveries.waiting,
      paused: deliveries.paused,
      on_hold: deliveries.isHeld,
    },
    workers,
    backup: { made_here: backup.makes, newest_at: backup.newestAt ?? null },
    backup_copy: copy ?? null,
    rehearsal: rehearsal ?? null,
    certificate: certificate
      ? { valid_until: certificate.validUntil, names_host: certificate.namesHost }
      : null,
    disks: Object.fromEntries([...disks].map(([use, { free, total }]) => [use, { free, total }])),
    image: image ? { created_at: new Date(image.created), version: image.version, revision: image.revision } : null,
    erasure_log: erasureLog ?? null,
    alerts: listInstallationProblems(installation, now).map(({ alert }) => alert),
    versions,
  };
}

const formatLine = ({ label, text, needsAttention = false }: Line): string =>
  `${needsAttention ? '!' : ' '} ${label.padEnd(12)} ${text}`;

async function printStatus({ config, database, terminal }: Session, { json }: { readonly json?: true }): Promise<void> {
  const status = await readStatus(config, database);
  const now = Date.now();
  if (json) return terminal.print(toJson(toJsonStatus(status, now), 2));
  const parts: ReadonlyArray<readonly [title: string, lines: readonly Line[]]> = [
    ['Owed', listOwed(status)],
    ['Late', listLate(status)],
    ['Installation', listInstallation(status, now)],
    ['Versions', listVersions(status)],
  ];
  terminal.print(parts.map(([title, lines]) => [title, ...lines.map(formatLine)].join('\n')).join('\n\n'));
}

/** `status` */
export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('what is owed, what is late, last backup, certificate and versions, on one screen')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA line that begins with ! needs attention; `ops doctor` says what to do.\n\nExample:\n  ops status',
    )
    .action(withSession(context, printStatus));
}
