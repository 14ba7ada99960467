import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import type { Check } from './container-checks.ts';
import { postNew } from './deliveries.ts';
import { waitForStack, type Stack } from './stack.ts';
import { expectNoFailure } from './steady-load.ts';

const RELOAD = ['exec', '-T', 'proxy', 'bash', '/etc/caddy/start.sh', '--reload'];

/** Checks an operator's changes to a running stack. */
function checkLoad(stack: Stack): Check[] {
  return [
    [
      'refuses an invalid COOKIE_SECRET before anything changes, and applies a valid one without a failed request',
      async () => {
        const settings = await readFile(stack.settingsFile, 'utf8');
        const [, old = ''] = /^COOKIE_SECRET=(.+)$/m.exec(settings) ?? [];
        await stack.changeSettings({ COOKIE_SECRET: 'short' });
        const refused = await stack.tryScript('deploy/apply-settings.sh');
        assert.notEqual(refused.exitCode, 0);
        assert.match(refused.output + refused.errorOutput, /COOKIE_SECRET must have at least 32 bytes in each secret/);
        const added = 'n'.repeat(48);
        await stack.changeSettings({ COOKIE_SECRET: `${added},${old}` });
        await expectNoFailure(stack, () => stack.runScript('deploy/apply-settings.sh'));
        assert.equal(await stack.exec('web', 'cat', '/run/secrets/COOKIE_SECRET'), `${added},${old}`);
      },
    ],
    [
      'refuses a POSTGRES_PASSWORD that the database does not accept, before any secret is replaced',
      async () => {
        const settings = await readFile(stack.settingsFile, 'utf8');
        const before = await stack.exec('web', 'cat', '/run/secrets/DATABASE_URL');
        await stack.changeSettings({ POSTGRES_PASSWORD: 'w'.repeat(48) });
        const refused = await stack.tryScript('deploy/apply-settings.sh');
        await writeFile(stack.settingsFile, settings);
        assert.notEqual(refused.exitCode, 0);
        assert.match(refused.output + refused.errorOutput, /PostgreSQL refuses the login \(28P01\): .*POSTGRES_PASSWORD/);
        assert.equal(await stack.exec('web', 'cat', '/run/secrets/DATABASE_URL'), before);
      },
    ],
    [
      'reloads the proxy’s files without a failed request, if the kernel hands over waiting connections',
      () => expectNoFailure(stack, async () => {
        for (let count = 0; count < 3; count += 1) await stack.compose(...RELOAD);
      }),
    ],
  ];
}

/** Switches from the stack's proxy to an operator's own proxy, which connects to PORT on this machine, and back. */
const checkOwnProxy = (stack: Stack): Check => [
  'switches to the operator’s own proxy and back while it runs',
  async () => {
    const settings = await readFile(stack.settingsFile, 'utf8');
    const own = 'docker-compose.yml:docker-compose.own-proxy.yml:tests/stack/docker-compose.test.yml';
    await stack.changeSettings({ COMPOSE_FILE: own, PUBLIC_URL: stack.origin, TRUST_PROXY: '172.16.0.0/12' });
    await stack.compose('--profile', 'bundled-proxy', 'rm', '--stop', '--force', 'proxy');
    await stack.compose('up', '-d');
    await stack.waitUntilReady(stack.origin);
    assert.deepEqual(await stack.inspectService('proxy'), []);
    const [web] = await stack.inspectService('web');
    assert.deepEqual(Object.keys(web?.HostConfig.PortBindings ?? {}), [`${stack.own.PORT}/tcp`]);
    await postNew(stack);

    await writeFile(stack.settingsFile, settings);
    await stack.compose('up', '-d');
    await waitForStack('the proxy', async () => (await stack.inspectService('proxy')).length === 1);
    await stack.waitUntilReady(stack.origin);
    await postNew(stack);
  },
];

/** Checks changes to a stack with visitors and a single web process. */
export const checkChanges = (stack: Stack): Check[] => [...checkLoad(stack), checkOwnProxy(stack)];
