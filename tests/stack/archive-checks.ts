import assert from 'node:assert/strict';
import type { Check } from './container-checks.ts';
import { expectDelivered, postNew } from './deliveries.ts';
import { layOutThisVersion } from './source.ts';
import { FREQUENT_HEALTH_CHECKS, waitForStack, type Stack } from './stack.ts';

/** Where the service that HEARTBEAT_URL names listens: in a container that the worker reaches. */
const RECEIVER_PORT = 9999;
const PING_PATH = '/ping/test';

/** Prints the path of the first call that isn't the test's own, and ends. */
const RECEIVE_PING = `
  require('node:http').createServer(({ url }, response) => {
    response.end();
    if (url === '/ready') return;
    console.log(url);
    process.exit();
  }).listen(${RECEIVER_PORT});
`;

const ASK_RECEIVER = `fetch('http://127.0.0.1:${RECEIVER_PORT}/ready').then(() => console.log('ready'), () => {})`;

/** A stack whose backups, log and state are looked after elsewhere. */
const settings = {
  COMPOSE_FILE: `${FREQUENT_HEALTH_CHECKS.COMPOSE_FILE}:docker-compose.archive.yml`,
  BACKUP_REPOSITORY: '/repository',
  BACKUP_REPOSITORY_PASSWORD: 'a password of the test',
  HEARTBEAT_URL: `http://backup:${RECEIVER_PORT}${PING_PATH}`,
  OUTBOUND_ALLOW: 'backup',
  // Of each request the first mail and the export are due now.
  FOLLOW_UP_REMINDER_AFTER: '2h',
  FOLLOW_UP_AFTER: '4h',
};

function checkWatch(stack: Stack): Check[] {
  return [
    [
      'starts with an archive, whose first copy is made at once',
      async () => {
        await layOutThisVersion(stack.folder);
        await stack.writeSettings({ ...stack.own, ...settings });
        await stack.built;
        await stack.compose('up', '-d');
        await stack.waitUntilReady(stack.origin);
        await waitForStack('the first copy of the server’s files', async () =>
          (await stack.readLogs('backup')).includes('A copy of the server’s files is in BACKUP_REPOSITORY.'),
        );
      },
    ],
    [
      'calls HEARTBEAT_URL once its worker runs and nothing is late',
      async () => {
        const called = stack.runNode('backup', RECEIVE_PING);
        await waitForStack('the receiver', async () => (await stack.runNode('backup', ASK_RECEIVER)) !== '');
        await stack.compose('restart', 'worker');
        assert.equal((await called).trim(), PING_PATH);
      },
    ],
    [
      'restores a backup from the repository in a rehearsal, and knows of it',
      async () => {
        await postNew(stack);
        await stack.ops('backup', '--rehearse');
        const states = (await stack.readFindings()).filter(({ check }) => ['backup repository', 'rehearsal'].includes(check));
        assert.deepEqual(states.map(({ status }) => status), ['ok', 'ok'], JSON.stringify(states));
        assert.equal((await stack.query("select 1 from pg_database where datname like '%rehears%'")).length, 0);
      },
    ],
  ];
}

/** The database's volume is lost, and a moment before the last request is asked for. */
function checkMoment(stack: Stack): Check[] {
  let kept = '';
  let later = '';

  return [
    [
      'restores a moment: what came before it is there, what came after it is not',
      async () => {
        kept = await postNew(stack);
        await expectDelivered(stack, [kept], ['new']);
        const [moment] = await stack.query<{ readonly at: string }>('select clock_timestamp() as at');
        later = await postNew(stack);
        await expectDelivered(stack, [later], ['new']);
        const at = ['--at', moment?.at ?? ''];
        await stack.compose('run', '--rm', '-T', '--no-deps', 'ops', 'restore', '--check', ...at);
        await stack.compose('down');
        await stack.docker('volume', 'rm', `${stack.project}-postgres`);
        await stack.compose('run', '--rm', '-T', '--no-deps', 'recovery', ...at);
        await stack.compose('up', '-d', 'postgres');
        await stack.compose('run', '--rm', '-T', '--no-deps', 'ops', 'restore', '--recovered');
        await stack.compose('run', '--rm', '-T', 'migrate');
        await stack.compose('up', '-d');
        await stack.waitUntilReady(stack.origin);
        const rows = await stack.query<{ readonly id: string }>(
          `select id from contact_submissions where id in ('${kept}', '${later}')`,
        );
        assert.deepEqual(rows, [{ id: kept }]);
      },
    ],
    [
      'goes on from there once it is released',
      async () => {
        assert.match(await stack.ops('deliveries', 'release'), /would be sent/);
        await stack.ops('deliveries', 'release', '--yes');
        const after = await postNew(stack);
        await expectDelivered(stack, [kept, after], ['new']);
      },
    ],
  ];
}

/** What a stack has for the day its machine is lost, on a stack of its own. */
export const checkArchive = (stack: Stack): Check[] => [...checkWatch(stack), ...checkMoment(stack)];
