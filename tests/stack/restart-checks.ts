import assert from 'node:assert/strict';
import { sendSignal } from '../../scripts/processes.ts';
import { checkChanges } from './change-checks.ts';
import type { Check } from './container-checks.ts';
import { expectDelivered, postWithRetries } from './deliveries.ts';
import { checkPublishing, OWN_CONTENT } from './publish-checks.ts';
import { layOutThisVersion } from './source.ts';
import { FREQUENT_HEALTH_CHECKS, waitForStack, type Stack } from './stack.ts';

/** Services whose crash makes visitors wait briefly. */
const NOTICED = ['web', 'postgres', 'proxy'];
const UNNOTICED = ['worker', 'redis'];

const FIRST_MAIL = ['new'];

async function waitUntilAllHealthy(stack: Stack): Promise<void> {
  await stack.waitUntilReady(stack.origin);
  await stack.waitUntilHealthy('postgres', 'redis', 'web', 'worker', 'proxy');
}

/** Sends requests one after another while `disrupt` runs, and one more afterwards. */
async function postDuring(stack: Stack, disrupt: () => Promise<unknown>) {
  const sent = [];
  let isDisrupted = true;
  const disruption = disrupt().finally(() => {
    isDisrupted = false;
  });
  while (isDisrupted && sent.length < 5) sent.push(await postWithRetries(stack));
  await disruption;
  sent.push(await postWithRetries(stack));

  return sent;
}

/** Kills a container's process, as in a crash. Docker doesn't restart a container that was stopped by `docker kill`. */
async function crash(stack: Stack, service: string): Promise<void> {
  const [before] = await stack.inspectService(service);
  assert.ok(before && before.State.Pid > 0, `${service} is not running`);
  sendSignal(before.State.Pid, 'SIGKILL');
  await waitForStack(`${service} to be started again`, async () => {
    const [now] = await stack.inspectService(service);

    return (
      now?.State.Status === 'running' &&
      now.State.StartedAt !== before.State.StartedAt &&
      now.RestartCount > before.RestartCount
    );
  });
}

/**
 * Checks faults in single services while requests arrive.
 * @param accepted list that the ids of accepted requests are added to
 */
function checkEachService(stack: Stack, accepted: string[]): Check[] {
  const disrupt = async (change: () => Promise<unknown>) => {
    const sent = await postDuring(stack, change);
    accepted.push(...sent.map(({ id }) => id));
    await waitUntilAllHealthy(stack);

    return sent.flatMap(({ failures }) => failures);
  };

  return [
    [
      'starts from a checkout with settings that were filled in by hand',
      async () => {
        await layOutThisVersion(stack.folder);
        // During the test, only one mail and one export per request are due.
        const followUp = { FOLLOW_UP_REMINDER_AFTER: '2h', FOLLOW_UP_AFTER: '4h' };
        await stack.writeSettings({ ...stack.own, ...FREQUENT_HEALTH_CHECKS, ...followUp, CONTENT_DIR: OWN_CONTENT });
        await stack.built;
        await stack.compose('up', '-d');
        await waitUntilAllHealthy(stack);
      },
    ],
    [
      'accepts every request without delay while web restarts',
      async () => assert.deepEqual(await disrupt(() => stack.compose('restart', 'web')), []),
    ],
    ...NOTICED.map((service): Check => [
      `accepts every request, some after a short delay, and restarts ${service} after kill -9`,
      () => disrupt(() => crash(stack, service)),
    ]),
    ...UNNOTICED.map((service): Check => [
      `accepts every request without delay, and restarts ${service} after kill -9`,
      async () => assert.deepEqual(await disrupt(() => crash(stack, service)), []),
    ]),
    [
      'shuts web, worker and backup down gracefully within the time limit',
      async () => {
        await stack.compose('stop', 'web', 'worker', 'backup');
        for (const service of ['web', 'worker', 'backup']) {
          const [container] = await stack.inspectService(service);
          assert.equal(container?.State.ExitCode, 0, service);
        }
        await stack.compose('start', 'web', 'worker', 'backup');
        await waitUntilAllHealthy(stack);
      },
    ],
  ];
}

/** Checks several web processes and workers behind the proxy. */
function checkScale(stack: Stack, accepted: string[]): Check[] {
  return [
    [
      'runs three web processes and four workers behind the proxy',
      async () => {
        await stack.compose('up', '-d', '--scale', 'web=3', '--scale', 'worker=4');
        await waitUntilAllHealthy(stack);
        assert.equal((await stack.inspectService('web')).length, 3);
        assert.equal((await stack.inspectService('worker')).length, 4);
      },
    ],
    [
      'distributes requests to all web processes',
      async () => {
        const hasEveryWebResponded = async () => {
          const webs = await stack.inspectService('web');
          const logs = await Promise.all(webs.map(({ Id }) => stack.docker('logs', Id)));

          return logs.every((log) => log.includes('"route":"/api/contact-submissions"'));
        };
        await waitForStack('every web process to handle a request', async () => {
          // The web processes have just started. One that is too busy may respond with 503.
          accepted.push((await postWithRetries(stack)).id);

          return hasEveryWebResponded();
        });
      },
    ],
    [
      'works while a web process crashes, and scales down to one web process and one worker',
      async () => {
        const [one] = await stack.inspectService('web');
        sendSignal(one?.State.Pid ?? 0, 'SIGKILL');
        for (let count = 0; count < 6; count += 1) {
          assert.equal((await fetch(stack.origin)).status, 200, 'The proxy did not try another web process.');
        }
        // The proxy doesn't retry a post that the killed process may have received. The visitor repeats it.
        accepted.push((await postWithRetries(stack)).id);
        await stack.compose('up', '-d', '--scale', 'web=1', '--scale', 'worker=1');
        await waitUntilAllHealthy(stack);
      },
    ],
  ];
}

/** Checks restarts, crashes, scaling and changes on a separate stack. */
export function checkRestarts(stack: Stack): Check[] {
  const accepted: string[] = [];

  return [
    ...checkEachService(stack, accepted),
    ...checkPublishing(stack),
    ...checkScale(stack, accepted),
    ...checkChanges(stack),
    ['has sent every delivery for these requests exactly once', () => expectDelivered(stack, accepted, FIRST_MAIL)],
  ];
}
