import { expect, test } from 'vitest';
import { Day, Hour, Second } from '../../time.ts';
import { listInstallationProblems } from './assess-installation.ts';
import type { Installation } from './read-installation.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

/** A certificate that is valid from and until so many milliseconds from now. */
const certify = (from: number, until: number) => ({
  validFrom: new Date(NOW + from),
  validUntil: new Date(NOW + until),
  namesHost: true,
});

/** A rehearsal so many milliseconds ago. */
const rehearse = (age: number, error: string | null = null) => ({
  ...{ backup: 'site-1.dump', rehearsed_at: new Date(NOW - age), error, succeeded_at: null },
});

const inOrder: Installation = {
  backup: { makes: true, newestAt: new Date(NOW - 26 * Hour) },
  copy: { succeeded_at: new Date(NOW - 26 * Hour) },
  rehearsal: rehearse(194 * Hour),
  certificate: certify(-76 * Day, 14 * Day + Second),
  disks: new Map([['backups', { free: 15, total: 100 }]]),
  image: { version: '1.0.0', revision: 'abc', created: NOW - 45 * Day },
  erasureLog: 'complete',
};

test.each<[string, Partial<Installation>]>([
  ['at every bound', {}],
  [
    'of which nothing is known',
    {
      ...{ backup: { makes: false }, copy: undefined, rehearsal: undefined, certificate: undefined, disks: new Map() },
      ...{ image: undefined, erasureLog: undefined },
    },
  ],
  // It has raised its own.
  ['whose last rehearsal failed', { rehearsal: rehearse(1 * Hour, 'It differs.') }],
  ['where nobody was erased yet', { erasureLog: 'not-begun' }],
  // As the proxy's own authority makes them.
  ['with a certificate of hours', { certificate: certify(-8 * Hour, 4 * Hour) }],
])('an installation %s has no problem', (_what, changes) => {
  expect(listInstallationProblems({ ...inOrder, ...changes }, NOW)).toEqual([]);
});

test.each<[string, Partial<Installation>, object]>([
  ['backup-late', { backup: { makes: true, newestAt: new Date(NOW - 26 * Hour - Second) } }, { hours: 26 }],
  ['backup-late', { backup: { makes: true } }, {}],
  [
    'backup-copy-late',
    { copy: { succeeded_at: new Date(NOW - 26 * Hour - Second) } },
    { copiedAt: '2026-11-22T09:59:59.000Z' },
  ],
  ['backup-copy-late', { copy: { succeeded_at: null } }, { copiedAt: 'never' }],
  ['rehearsal-late', { rehearsal: rehearse(194 * Hour + Second) }, { rehearsedAt: '2026-11-15T09:59:59.000Z' }],
  ['rehearsal-late', { rehearsal: rehearse(194 * Hour + Second, 'It differs.') }, {}],
  [
    'certificate-expiring',
    { certificate: certify(-76 * Day, 14 * Day) },
    { validUntil: '2026-12-07T12:00:00.000Z' },
  ],
  ['certificate-expiring', { certificate: certify(-9 * Hour, 3 * Hour) }, {}],
  ['certificate-expiring', { certificate: certify(-2 * Day, -Second) }, {}],
  [
    'disk-low',
    { disks: new Map([['mails', { free: 20, total: 100 }], ['backups', { free: 149, total: 1000 }]]) },
    { 'backups %': 14 },
  ],
  ['image-old', { image: { version: 'x', revision: 'x', created: NOW - 45 * Day - Second } }, {}],
  ['erasure-log-incomplete', { erasureLog: 'missing' }, { erasureLog: 'missing' }],
  ['erasure-log-incomplete', { erasureLog: 'older' }, { erasureLog: 'older' }],
])('beyond its bound %s is raised', (alert, changes, details) => {
  expect(listInstallationProblems({ ...inOrder, ...changes }, NOW)).toEqual([
    { alert, message: expect.stringMatching(/\.$/), details: expect.objectContaining(details) },
  ]);
});
