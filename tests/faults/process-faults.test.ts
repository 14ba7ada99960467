import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import type { SiteProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';
import { postSteadily, sendAgain } from './steady-posts.ts';

/** Returns how many unhandled errors a process has logged. The error's own message must not be logged. */
function countUnhandledErrors(process: SiteProcess): number {
  expect(process.output()).not.toContain('ada@');

  return process.output().split('Unhandled error; the process exits.').length - 1;
}

const FAULT = 'tests/faults/failing-entry.ts';

faultRow(61, 'An unhandled rejection in web under load: web logs it once and exits with 1, and no request is lost', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const { database, settings } = fixture;
  const web = await startWeb({ ...settings, FAILING_ENTRY: 'server/main.ts' }, FAULT);
  const posting = postSteadily(fixture, web.origin);
  await waitFor('some requests', () => fixture.accepted.length > 5);
  await chance.letTimePass(500);

  expect(await web.stop('SIGUSR2')).toBe(1);
  const refused = await posting.stop();

  expect(countUnhandledErrors(web)).toBe(1);
  const next = await startWeb(settings);
  await sendAgain(fixture, next.origin, refused.slice(0, 10));
  await startWorker(settings);
  const rows = await database('contact_submissions');
  await waitFor('all mails', async () => (await countStates(database))['sent'] === rows.length);
  await fixture.expectMails();
});
