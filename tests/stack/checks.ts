import assert from 'node:assert/strict';
import type { Email } from 'postal-mime';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Stack } from './stack.ts';

export type Check = readonly [title: string, run: () => Promise<void>];

const OWN_SERVICES = ['web', 'worker'];
const SERVICES = ['postgres', 'redis', 'migrate', ...OWN_SERVICES];
const STAGES = ['due', 'new', 'reminder'];

/** What must not be in the image: installers, build tools, tests, the browser's sources. */
const FOREIGN_TO_IMAGE = [
  ...['npm', 'npx', 'corepack', 'yarn'].map((name) => `/usr/local/bin/${name}`),
  '/usr/local/lib/node_modules',
  ...['vite', 'esbuild', 'typescript', 'vitest', 'eslint'].map((name) => `node_modules/${name}`),
  ...['tests', 'scripts', 'client', '.env', '.git'],
];

const FIND_EXISTING = `
  const { existsSync } = require('node:fs');
  console.log(process.argv.slice(1).filter((path) => existsSync(path)).join());
`;

const PRINT_USER = 'console.log(process.getuid())';

const TRY_TO_WRITE = `
  try { require('node:fs').writeFileSync('/app/written', ''); console.log('written'); }
  catch (error) { console.log(error.code); }
`;

function getHeader(mail: Email, key: string): string | undefined {
  return mail.headers.find((header) => header.key === key)?.value;
}

async function postNew(stack: Stack): Promise<Record<string, unknown>> {
  const body = makeContactBody();
  const answer = await postContact(stack.origin, body);
  assert.equal(answer.status, 201, await answer.text());

  return body;
}

async function readMailsOf(stack: Stack, { id }: Record<string, unknown>) {
  const mails = await stack.readMails();

  return mails.filter((mail) => getHeader(mail, 'x-submission-id') === id);
}

/** All that a request must lead to: three mails and one line in the export. */
async function waitForDeliveries(stack: Stack, body: Record<string, unknown>): Promise<void> {
  await waitFor(
    'three mails',
    async () => (await readMailsOf(stack, body)).length >= STAGES.length,
    60_000,
  );
  const mails = await readMailsOf(stack, body);
  assert.deepEqual(mails.map((mail) => getHeader(mail, 'x-delivery-stage')).sort(), STAGES);

  const findLines = async () => {
    const file = (await stack.readExports()).get('submissions.ndjson') ?? '';

    return file.split('\n').filter((line) => line.includes(String(body['id'])));
  };
  const lines = await waitFor('the export', async () => {
    const found = await findLines();

    return found.length > 0 && found;
  });
  assert.equal(lines.length, 1);
  const record = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.equal(record['submission_id'], body['id']);
}

async function waitUntilReady(stack: Stack): Promise<void> {
  await waitFor(
    'GET /health/ready to answer 200',
    () => fetch(`${stack.origin}/health/ready`).then(({ ok }) => ok, () => false),
    120_000,
  );
}

function checkRefusals(stack: Stack): Check[] {
  return [
    ...['POSTGRES_PASSWORD', 'COOKIE_SECRET'].map(
      (name): Check => [
        `refuses to start without ${name}, naming it`,
        async () => {
          const { exitCode, complaints } = await stack.composeChanged({ [name]: '' }, 'up', '-d');
          assert.notEqual(exitCode, 0);
          assert.match(complaints, new RegExp(`${name} is required`));
          assert.equal((await stack.inspect()).size, 0);
        },
      ],
    ),
    [
      'refuses to start with a misspelt setting, naming it',
      async () => {
        const run = ['run', '--rm', '--no-deps', '-T', 'migrate'];
        const result = await stack.composeChanged({ FOLLOW_UP_AFTR: '1h' }, ...run);
        assert.notEqual(result.exitCode, 0);
        assert.match(result.output + result.complaints, /FOLLOW_UP_AFTR is not a setting/);
      },
    ],
  ];
}

function checkContainers(stack: Stack): Check[] {
  return [
    [
      'lets no container write to its root file system or gain rights',
      async () => {
        for (const [service, { HostConfig }] of await stack.inspect()) {
          assert.equal(HostConfig.ReadonlyRootfs, true, service);
          assert.deepEqual(HostConfig.CapDrop, ['ALL'], service);
          assert.deepEqual(HostConfig.SecurityOpt, ['no-new-privileges:true'], service);
        }
        for (const service of OWN_SERVICES) {
          assert.equal((await stack.runNode(service, TRY_TO_WRITE)).trim(), 'EROFS', service);
        }
      },
    ],
    [
      'runs web and worker as the user 10001',
      async () => {
        const containers = await stack.inspect();
        for (const service of OWN_SERVICES) {
          assert.equal(containers.get(service)?.Config.User, '10001:10001');
          assert.equal((await stack.runNode(service, PRINT_USER)).trim(), '10001');
        }
      },
    ],
    [
      'has neither installers nor build tools nor tests in the image',
      async () => {
        const found = await stack.runNode('web', FIND_EXISTING, ...FOREIGN_TO_IMAGE);
        assert.equal(found.trim(), '');
      },
    ],
    [
      'publishes the web port alone and keeps PostgreSQL and Redis on the internal network',
      async () => {
        const containers = await stack.inspect();
        const isPublished = (service: string) =>
          Object.keys(containers.get(service)?.HostConfig.PortBindings ?? {}).length > 0;
        assert.deepEqual(SERVICES.filter(isPublished), ['web']);
        const internal = `${stack.project}_data`;
        for (const service of ['postgres', 'redis']) {
          const networks = containers.get(service)?.NetworkSettings.Networks ?? {};
          assert.deepEqual(Object.keys(networks), [internal]);
        }
        const format = ['--format', '{{.Internal}}'];
        const isInternal = await stack.docker('network', 'inspect', ...format, internal);
        assert.equal(isInternal.trim(), 'true');
      },
    ],
    [
      'keeps all state in named volumes',
      async () => {
        for (const [service, { Mounts }] of await stack.inspect()) {
          for (const { Name = '' } of Mounts.filter(({ Type }) => Type === 'volume')) {
            assert.ok(Name.startsWith(`${stack.project}-`), `${service} has the volume ${Name}`);
          }
        }
      },
    ],
    [
      'turns healthy, web and worker',
      async () => {
        for (const service of OWN_SERVICES) await stack.waitUntilHealthy(service);
      },
    ],
  ];
}

/** What the operator's tool prints, run as an operator would. */
const runOps = (stack: Stack, ...args: string[]) =>
  stack.compose('run', '--rm', '-T', 'ops', ...args);

function checkOps(stack: Stack, first: () => Record<string, unknown>): Check[] {
  return [
    [
      'has an operator’s tool whose doctor finds no fault',
      async () => {
        const { findings } = JSON.parse(await runOps(stack, 'doctor', '--json')) as {
          findings: ReadonlyArray<{ check: string; status: string }>;
        };
        const isWrong = ({ status }: { status: string }) => !['ok', 'info'].includes(status);
        // Mails go to files here.
        assert.deepEqual(findings.filter(isWrong).map(({ check }) => check), ['mail']);
      },
    ],
    [
      'lists requests and writes the list of erasures to its volume',
      async () => {
        const listed = await runOps(stack, 'submissions', 'list', '--json');
        const [{ id } = { id: '' }] = JSON.parse(listed) as Array<{ id: string }>;
        assert.equal(id, first()['id']);
        await runOps(stack, 'submissions', 'erase', '--email', 'nobody@example.org', '--yes');
        const [files] = await stack.readErasures();
        assert.equal(files?.[0], 'erasures.ndjson');
      },
    ],
  ];
}

function checkRestarts(stack: Stack, first: () => Record<string, unknown>): Check[] {
  return [
    [
      'loses nothing when worker and Redis restart',
      async () => {
        const body = await postNew(stack);
        await stack.compose('restart', 'worker', 'redis');
        await waitForDeliveries(stack, body);
      },
    ],
    [
      'takes a request while worker and Redis are killed, and delivers once they are back',
      async () => {
        await stack.compose('kill', 'worker', 'redis');
        const body = await postNew(stack);
        await stack.compose('start', 'redis', 'worker');
        await waitForDeliveries(stack, body);
      },
    ],
    [
      'ends web and worker in order within their time',
      async () => {
        await stack.compose('stop', ...OWN_SERVICES);
        const containers = await stack.inspect();
        for (const service of OWN_SERVICES) {
          assert.equal(containers.get(service)?.State.ExitCode, 0, service);
        }
      },
    ],
    [
      'has its requests, mails and exports after down and up',
      async () => {
        await stack.compose('down');
        await stack.compose('up', '-d');
        await waitUntilReady(stack);
        // A repeat of a request that is still known isn't taken as a new one.
        assert.equal((await postContact(stack.origin, first())).status, 200);
        await waitForDeliveries(stack, first());
      },
    ],
  ];
}

/** The checks in order; each builds on those before it. */
export function checkStack(stack: Stack): Check[] {
  let first: Record<string, unknown> = {};

  return [
    ['builds the image', async () => void (await stack.compose('build'))],
    ...checkRefusals(stack),
    ['starts with one command', async () => void (await stack.compose('up', '-d'))],
    ['is ready', () => waitUntilReady(stack)],
    [
      'serves the start page as HTML',
      async () => {
        const answer = await fetch(stack.origin);
        assert.equal(answer.status, 200);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
        assert.ok((await answer.text()).includes('<h1'), 'There is no heading.');
      },
    ],
    [
      'turns a contact request into three mails and an export',
      async () => {
        first = await postNew(stack);
        await waitForDeliveries(stack, first);
      },
    ],
    [
      'sends mails whose link works at the published address',
      async () => {
        const [mail] = await readMailsOf(stack, first);
        const link = new RegExp(`${stack.origin}/follow-up/\\S+`).exec(mail?.text ?? '')?.[0];
        assert.ok(link, mail?.text);
        assert.equal((await fetch(link)).status, 200);
      },
    ],
    ...checkContainers(stack),
    ...checkOps(stack, () => first),
    ...checkRestarts(stack, () => first),
  ];
}
