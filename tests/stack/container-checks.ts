import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { serviceOf, type Stack } from './stack.ts';

export type Check = readonly [title: string, run: () => Promise<unknown>];

const SITE_SERVICES = ['web', 'worker'];
const OWN_SERVICES = [...SITE_SERVICES, 'backup', 'proxy'];
const IMAGE_SERVICES = ['postgres', 'redis'];
const HEALTHY_SERVICES = [...IMAGE_SERVICES, ...SITE_SERVICES, 'proxy'];

/** The capabilities that PostgreSQL's image needs to take ownership of its folder and drop root privileges. */
const POSTGRES_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];

const MAX_MEMORY = 1024 ** 3;

const PRINT_USER = 'console.log(process.getuid())';

const WRITE_FILE = `
  try { require('node:fs').writeFileSync('/app/written', ''); console.log('written'); }
  catch (error) { console.log(error.code); }
`;

const withoutPrefix = (capability: string) => capability.replace(/^CAP_/, '');

/** Returns whether a program is listening on one of this machine's ports. */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function checkRights(stack: Stack): Check[] {
  return [
    [
      'prevents containers from writing to their root file system, gaining privileges or exceeding their limits',
      async () => {
        for (const container of await stack.inspect()) {
          const { HostConfig: host } = container;
          const service = serviceOf(container);
          assert.equal(host.ReadonlyRootfs, true, service);
          assert.equal(host.Privileged, false, service);
          assert.equal(host.Init, true, service);
          assert.deepEqual(host.CapDrop, ['ALL'], service);
          assert.deepEqual(
            (host.CapAdd ?? []).map(withoutPrefix).sort(),
            service === 'postgres' ? POSTGRES_CAPABILITIES : [],
            service,
          );
          assert.deepEqual(host.SecurityOpt, ['no-new-privileges:true'], service);
          assert.ok((host.PidsLimit ?? 0) > 0 && (host.PidsLimit ?? 0) <= 200, service);
          assert.ok(host.Memory > 0 && host.Memory <= MAX_MEMORY, service);
          assert.equal(host.NanoCpus, 1e9, service);
          assert.deepEqual(host.LogConfig.Config, { 'max-size': '10m', 'max-file': '3' }, service);
        }
        for (const service of SITE_SERVICES) {
          assert.equal((await stack.runNode(service, WRITE_FILE)).trim(), 'EROFS', service);
        }
      },
    ],
    [
      'runs none of its own programs as root',
      async () => {
        for (const service of OWN_SERVICES) {
          const [container] = await stack.inspectService(service);
          assert.equal(container?.Config.User, '10001:10001', service);
        }
        for (const service of SITE_SERVICES) {
          assert.equal((await stack.runNode(service, PRINT_USER)).trim(), '10001', service);
        }
        const [redis] = await stack.inspectService('redis');
        assert.equal(redis?.Config.User, 'redis');
      },
    ],
    [
      'restarts long-running services after a crash, and never restarts other services',
      async () => {
        for (const container of await stack.inspect()) {
          const service = serviceOf(container);
          const isLongRunning = [...OWN_SERVICES, ...IMAGE_SERVICES].includes(service);
          const { Name } = container.HostConfig.RestartPolicy;
          assert.equal(Name, isLongRunning ? 'unless-stopped' : 'no', service);
        }
      },
    ],
  ];
}

function checkSecrets(stack: Stack): Check[] {
  return [
    [
      'passes secrets to its services only in files that a single user can read',
      async () => {
        const settings = await readFile(stack.settingsFile, 'utf8');
        const secrets = [...settings.matchAll(/^(?:POSTGRES_PASSWORD|COOKIE_SECRET)=(.+)$/gm)];
        assert.equal(secrets.length, 2);
        for (const container of await stack.inspect()) {
          if (serviceOf(container) === 'settings') continue;
          const environment = container.Config.Env.join('\n');
          for (const [, secret = ''] of secrets) {
            assert.ok(!environment.includes(secret), serviceOf(container));
          }
          assert.doesNotMatch(environment, /:\/\/[^/\s]*:[^/\s]*@/, serviceOf(container));
        }
        const modes = await stack.runNode(
          'web',
          `const { readdirSync, statSync } = require('node:fs');
          const folder = '/run/secrets/';
          console.log(readdirSync(folder).map((name) =>
            name + ' ' + (statSync(folder + name).mode & 0o777).toString(8)).sort().join());`,
        );
        assert.equal(
          modes.trim(),
          'COOKIE_SECRET 400,DATABASE_URL 400,REDIS_URL 400',
        );
      },
    ],
  ];
}

function checkNetworks(stack: Stack): Check[] {
  return [
    [
      'publishes only the proxy’s ports',
      async () => {
        const published = (await stack.inspect()).filter(
          ({ HostConfig }) => Object.keys(HostConfig.PortBindings ?? {}).length > 0,
        );
        assert.deepEqual(published.map(serviceOf), ['proxy']);
        const ports = Object.keys(published[0]?.HostConfig.PortBindings ?? {}).sort();
        assert.deepEqual(ports, ['3000/tcp', '8080/tcp', '8443/tcp']);
        for (const port of [5432, 6379, 9464]) {
          assert.equal(await isListening(port), false, `Something listens on port ${port} of this machine.`);
        }
      },
    ],
    [
      'connects PostgreSQL and Redis only to an internal network',
      async () => {
        const internal = `${stack.project}_data`;
        for (const service of IMAGE_SERVICES) {
          const [container] = await stack.inspectService(service);
          const networks = Object.keys(container?.NetworkSettings.Networks ?? {});
          assert.deepEqual(networks, [internal], service);
        }
        const format = ['--format', '{{.Internal}}'];
        const isInternal = await stack.docker('network', 'inspect', ...format, internal);
        assert.equal(isInternal.trim(), 'true');
      },
    ],
    [
      'has no anonymous volumes',
      async () => {
        for (const container of await stack.inspect()) {
          for (const { Name = '' } of container.Mounts.filter(({ Type }) => Type === 'volume')) {
            const service = serviceOf(container);
            assert.ok(Name.startsWith(`${stack.project}-`), `${service} has the volume ${Name}`);
          }
        }
      },
    ],
  ];
}

/** Checks the containers' configuration, as reported by `docker inspect` and by the containers themselves. */
export function checkContainers(stack: Stack): Check[] {
  return [
    [
      'becomes healthy',
      () => stack.waitUntilHealthy(...HEALTHY_SERVICES),
    ],
    ...checkRights(stack),
    ...checkSecrets(stack),
    ...checkNetworks(stack),
  ];
}
