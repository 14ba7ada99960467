import { runPart } from './run-part.ts';
import type { PartReport } from './report.ts';
import { reportBacklog, reportPace, reportRates } from './jobs/report-deliveries.ts';
import { reportSweeps } from './jobs/report-sweeps.ts';
import { createSite, startServers } from './jobs/servers.ts';

/** Deliveries of each worker in a measurement of a rate, and before it, untimed. */
const RATE = { count: 500, warmUp: 50 };
/** Mails of each worker at the production's pace, which is one a second of all together. */
const PACED = { count: 10, warmUp: 1 };
/** Each with three mails and an export: 10,000 deliveries. */
const BACKLOG_REQUESTS = 2_500;
/** Finished deliveries in the database while the worker sweeps. */
const OLD = [0, 1_000, 1_000_000];
const PENDING = 100;
const SWEEPS = 21;

await runPart(['redis-server'], async (atEnd): Promise<PartReport> => {
  const servers = await startServers(atEnd);
  const site = await createSite(servers, 'rates', atEnd);
  const blocks = [
    ...(await reportRates(site, RATE)),
    ...(await reportPace(site, PACED)),
    ...(await reportBacklog(site, BACKLOG_REQUESTS)),
  ];
  const sweeps = await reportSweeps(OLD, { pending: PENDING, sweeps: SWEEPS }, (old) =>
    createSite(servers, `old_${old}`, atEnd),
  );

  return {
    part: 'jobs',
    packages: ['bullmq', 'nodemailer', 'knex', 'pg', 'undici'],
    blocks: [...blocks, ...sweeps],
  };
});
