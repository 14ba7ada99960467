import { Gauge, type Registry } from 'prom-client';
import { Second } from '../../time.ts';
import { isLogInOrder, listFreeShares } from './assess-installation.ts';
import type { Installation } from './read-installation.ts';

export interface InstallationMetrics {
  /** Replaces what was read before; what is not known has no gauge. */
  readonly setInstallation: (installation: Installation) => void;
}

interface InstallationGauge {
  readonly name: string;
  readonly help: string;
  /** Undefined: the gauge is absent. */
  readonly read: (installation: Installation) => number | undefined;
}

const toSeconds = (time: Date | undefined) => time && time.getTime() / Second;

/** 0 where there was none yet; undefined where none is expected. */
const getLastSuccess = (last: { readonly succeeded_at: Date | null } | undefined) =>
  last && (toSeconds(last.succeeded_at ?? undefined) ?? 0);

/** All of them but the disks', which has a label. */
const installationGauges: readonly InstallationGauge[] = [
  {
    name: 'site_backup_last_success_timestamp_seconds',
    help: 'When the newest verified backup was made, in Unix time; 0 when there is none, absent where none are made.',
    read: ({ backup: { makes, newestAt } }) => (makes ? (toSeconds(newestAt) ?? 0) : undefined),
  },
  {
    name: 'site_backup_copy_last_success_timestamp_seconds',
    help: 'When the newest backup in BACKUP_REPOSITORY was copied there, in Unix time; 0 when none could be copied, absent where none are.',
    read: ({ copy }) => getLastSuccess(copy),
  },
  {
    name: 'site_rehearsal_last_success_timestamp_seconds',
    help: 'When a restore was last rehearsed with success, in Unix time; 0 when none succeeded yet, absent before the first.',
    read: ({ rehearsal }) => getLastSuccess(rehearsal),
  },
  {
    name: 'site_rehearsal_failed',
    help: '1 when the last rehearsal of a restore failed, 0 when it succeeded; absent before the first.',
    read: ({ rehearsal }) => rehearsal && Number(rehearsal.error !== null),
  },
  {
    name: 'site_certificate_not_after_timestamp_seconds',
    help: 'Until when the certificate that visitors get is valid, in Unix time; absent where it can’t be read.',
    read: ({ certificate }) => toSeconds(certificate?.validUntil),
  },
  {
    name: 'site_certificate_not_before_timestamp_seconds',
    help: 'From when on the certificate that visitors get is valid, in Unix time; absent where it can’t be read.',
    read: ({ certificate }) => toSeconds(certificate?.validFrom),
  },
  {
    name: 'site_image_created_timestamp_seconds',
    help: 'When the image of this worker was made, in Unix time; absent outside of an image.',
    read: ({ image }) => image && image.created / Second,
  },
  {
    name: 'site_erasure_log_complete',
    help: '1 when everybody who was erased would be recognized in a restored backup, 0 when the erasure log is missing or not in order.',
    read: (installation) => (installation.erasureLog === undefined ? undefined : Number(isLogInOrder(installation))),
  },
];

/** Creates the gauges of what surrounds the programs, absent until they are set. */
export function createInstallationGauges(registry: Registry): InstallationMetrics {
  const gauges = installationGauges.map(({ name, help, read }) => {
    const gauge = new Gauge({ name, help, registers: [registry] });
    // A gauge without labels starts as 0.
    gauge.remove();

    return { gauge, read };
  });
  const disks = new Gauge({
    name: 'site_disk_free_ratio',
    help: 'The part of the disk that is free, by what is on it.',
    labelNames: ['folder'],
    registers: [registry],
  });

  return {
    setInstallation: (installation) => {
      for (const { gauge, read } of gauges) {
        const value = read(installation);
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      }
      disks.reset();
      for (const [folder, share] of listFreeShares(installation)) disks.set({ folder }, share);
    },
  };
}
