import assert from 'node:assert/strict';
import { sendSignal } from '../../scripts/processes.ts';
import { checkChanges } from './change-checks.ts';
import type { Check } from './container-checks.ts';
import { expectDelivered, postNew, postWithRetries } from './deliveries.ts';
import { checkPublishing } from './publish-checks.ts';
import { layOutThisVersion } from './source.ts';
import { FREQUENT_HEALTH_CHECKS, waitForStack, type Stack } from './stack.ts';

/** How a visitor may be affected while one of these services restarts. */
const VISITOR_IMPACT: Readonly<Record<string, 'nothing' | 'a short wait'>> = {
  web: 'nothing',
  worker: 'nothing',
  redis: 'nothing',
  backup: 'nothing',
  postgres: 'a short wait',
  proxy: 'a short wait',
};

const FIRST_MAIL = ['new'];

async function waitUntilAllHealthy(stack: Stack): Promise<void> {
  await stack.waitUntilReady(stack.origin);
  await stack.waitUntilHealthy('postgres', 'redis', 'web', 'worker', 'proxy');
}

/** Sends requests one after another while `disrupt` runs, and one more after it. */
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

/** `kill -9` of what runs in a container, as in a crash: a container that `docker kill` ends is not restarted. */
async function crash(stack: Stack, service: string): Promise<void> {
  const [before] = await stack.inspectService(service);
  assert.ok(before && before.State.Pid > 0, `${service} doesn't run`);
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

/** What may happen to any single service while requests come in. */
function checkEachService(stack: Stack): Check[] {
  const all: string[] = [];

  return [
    [
      'starts from a checkout whose settings were filled in by hand',
      async () => {
        await layOutThisVersion(stack.folder);
        await stack.writeSettings({ ...stack.own, ...FREQUENT_HEALTH_CHECKS });
        await stack.built;
        await stack.compose('up', '-d');
        await waitUntilAllHealthy(stack);
      },
    ],
    [
      'applies a changed setting with one command',
      async () => {
        // From here on a request is one mail and one export within the test's time.
        await stack.changeSettings({ FOLLOW_UP_REMINDER_AFTER: '2h', FOLLOW_UP_AFTER: '4h' });
        await stack.compose('up', '-d');
        await waitUntilAllHealthy(stack);
        all.push(await postNew(stack));
        await expectDelivered(stack, all, FIRST_MAIL);
      },
    ],
    ...Object.entries(VISITOR_IMPACT).map(([service, impact]): Check => [
      `accepts every request while ${service} restarts; the impact on visitors is ${impact}`,
      async () => {
        const sent = await postDuring(stack, () => stack.compose('restart', service));
        const failures = sent.flatMap((one) => one.failures);
        all.push(...sent.map(({ id }) => id));
        await waitUntilAllHealthy(stack);
        if (impact === 'nothing') assert.deepEqual(failures, []);
      },
    ]),
    ...Object.keys(VISITOR_IMPACT).map((service): Check => [
      `loses nothing and comes back by itself after kill -9 of ${service}`,
      async () => {
        const sent = await postDuring(stack, () => crash(stack, service));
        all.push(...sent.map(({ id }) => id));
        await waitUntilAllHealthy(stack);
      },
    ]),
    ['has sent every delivery of these requests once', () => expectDelivered(stack, all, FIRST_MAIL)],
    [
      'shuts web, worker and backup down gracefully within their time',
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

/** Several of a kind behind the proxy. */
function checkScale(stack: Stack): Check[] {
  const ids: string[] = [];

  return [
    [
      'runs three webs and four workers behind the proxy',
      async () => {
        await stack.compose('up', '-d', '--scale', 'web=3', '--scale', 'worker=4');
        await waitUntilAllHealthy(stack);
        assert.equal((await stack.inspectService('web')).length, 3);
        assert.equal((await stack.inspectService('worker')).length, 4);
      },
    ],
    [
      'gets a response from every web, and sends every delivery once',
      async () => {
        const hasEveryWebResponded = async () => {
          const webs = await stack.inspectService('web');
          const logs = await Promise.all(webs.map(({ Id }) => stack.docker('logs', Id)));

          return logs.every((log) => log.includes('"route":"/api/contact-submissions"'));
        };
        await waitForStack('every web to have taken a request', async () => {
          // Three webs have just started: one that is too busy to store a request yet says so.
          ids.push((await postWithRetries(stack)).id);

          return ids.length >= 12 && (await hasEveryWebResponded());
        });
        await expectDelivered(stack, ids, FIRST_MAIL);
      },
    ],
    [
      'is one of each again afterwards, with a crash on the way',
      async () => {
        const [one] = await stack.inspectService('web');
        sendSignal(one?.State.Pid ?? 0, 'SIGKILL');
        for (let count = 0; count < 6; count += 1) {
          assert.equal((await fetch(stack.origin)).status, 200, 'The proxy did not try another web.');
        }
        // A request that may have reached the one that died isn't repeated for the visitor, who is
        // asked to: it has its key.
        ids.push((await postWithRetries(stack)).id);
        await expectDelivered(stack, ids, FIRST_MAIL);
        await stack.compose('up', '-d', '--scale', 'web=1', '--scale', 'worker=1');
        await waitUntilAllHealthy(stack);
      },
    ],
  ];
}

/** Services that restart, crash, come in numbers and are changed, on a stack of its own. */
export const checkRestarts = (stack: Stack): Check[] => [
  ...checkEachService(stack),
  ...checkPublishing(stack),
  ...checkScale(stack),
  ...checkChanges(stack),
];
