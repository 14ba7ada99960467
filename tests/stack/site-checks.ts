import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { checkBrowser } from './browser-checks.ts';
import { checkContainers, type Check } from './container-checks.ts';
import { askUntilAnswered, expectDelivered, postNew, readMailsOf } from './deliveries.ts';
import { checkImages } from './image-checks.ts';
import { checkProxy } from './proxy-checks.ts';
import { checkRestore } from './restore-checks.ts';
import { layOutThisVersion } from './source.ts';
import { FREQUENT_HEALTH_CHECKS, type Finding, type Stack } from './stack.ts';

function checkInstall(stack: Stack): Check[] {
  return [
    [
      'is installed in an empty folder, with secrets in a .env that only its owner can read',
      async () => {
        await layOutThisVersion(stack.folder);
        await stack.runScript('./install', '--url', stack.httpsOrigin, '--tls', 'internal');
        assert.equal((await stat(stack.settingsFile)).mode & 0o777, 0o600);
        await stack.changeSettings({ ...stack.own, ...FREQUENT_HEALTH_CHECKS });
        await stack.built;
      },
    ],
    ...['POSTGRES_PASSWORD', 'COOKIE_SECRET'].map((name): Check => [
      `refuses to start without ${name}, and names it`,
      async () => {
        const { exitCode, errorOutput } = await stack.composeChanged({ [name]: '' }, 'up', '-d');
        assert.notEqual(exitCode, 0);
        assert.match(errorOutput, new RegExp(`${name} is required`));
        assert.deepEqual(await stack.inspect(), []);
      },
    ]),
    [
      'refuses to start with wrong or misspelled settings, and names all of them',
      async () => {
        const misspelt = { FOLLOW_UP_AFTR: '1h', SMPT_URL: 'smtp://hidden' };
        const wrong = { ...misspelt, TIME_ZONE: 'Mars/Olympus', TLS: 'letsencrypt' };
        const result = await stack.composeChanged(wrong, 'up', '-d');
        assert.notEqual(result.exitCode, 0);
        const logs = await stack.readLogs('settings');
        assert.match(logs, /FOLLOW_UP_AFTR is not a setting/);
        assert.match(logs, /SMPT_URL is not a setting; did you mean SMTP_URL\?/);
        assert.match(logs, /TIME_ZONE must be a time zone/);
        assert.match(logs, /TLS must be one of acme, files, internal/);
        assert.doesNotMatch(logs, /hidden/);
        // Compose 2 creates all containers before it starts one.
        const webs = await stack.inspectService('web');
        assert.deepEqual(webs.filter(({ State }) => State.Status !== 'created'), []);
        await stack.compose('down', '--volumes');
      },
    ],
    ['starts with one command', () => stack.compose('up', '-d')],
    ['is ready', () => stack.waitUntilReady(stack.origin)],
    [
      'keeps its settings when it is installed again',
      async () => {
        const before = await stat(stack.settingsFile);
        await stack.runScript('./install');
        assert.equal((await stat(stack.settingsFile)).size, before.size);
      },
    ],
  ];
}

function checkOneRequest(stack: Stack): Check[] {
  let id = '';

  return [
    [
      'turns a contact request into three mails and an export',
      async () => {
        id = await postNew(stack);
        await expectDelivered(stack, [id]);
      },
    ],
    [
      'sends mails with a link to the site’s public address',
      async () => {
        const [mail] = await readMailsOf(stack, id);
        const link = new RegExp(`${stack.httpsOrigin}(/follow-up/\\S+)`).exec(mail?.text ?? '');
        assert.ok(link?.[1], mail?.text);
        const page = await askUntilAnswered('the link', () => fetch(stack.origin + link[1]));
        assert.equal(page.status, 200);
      },
    ],
    [
      'passes all of the doctor’s checks except the one for the mail server',
      async () => {
        const findings = await stack.readFindings();
        // Ignores the disk of the machine that runs the test.
        const isWrong = ({ check, status }: Finding) =>
          !['ok', 'info'].includes(status) && !check.startsWith('disk ');
        // Mails are written to files here.
        assert.deepEqual(findings.filter(isWrong).map(({ check }) => check), ['mail']);
      },
    ],
    [
      'lists requests and writes the erasure log to its volume',
      async () => {
        const listed = await stack.ops('submissions', 'list', '--json');
        assert.ok((JSON.parse(listed) as Array<{ id: string }>).some((one) => one.id === id));
        await stack.ops('submissions', 'erase', '--email', 'nobody@example.org', '--yes');
        const [files] = await stack.readErasures();
        assert.equal(files?.[0], 'erasures.ndjson');
      },
    ],
  ];
}

/** Checks one site from installation to restore. Each check builds on the earlier ones. */
export function checkSite(stack: Stack): Check[] {
  return [
    ...checkInstall(stack),
    ...checkImages(stack),
    ...checkContainers(stack),
    ...checkProxy(stack),
    ...checkOneRequest(stack),
    ...checkBrowser(stack),
    ...checkRestore(stack),
  ];
}
