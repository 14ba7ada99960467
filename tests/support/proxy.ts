import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/free-port.ts';
import { startProgram, type Environment, type SiteProcess } from './site-process.ts';
import { waitFor } from './wait-for.ts';

/** The stack's proxy, started by its own script, with separate ports and a separate folder. */
export interface Proxy extends SiteProcess {
  /** The site's origin without TLS, for this machine. */
  readonly plainUrl: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Reloads its files with the same script. */
  readonly reload: () => Promise<number | null>;
  /** Checks its health with the image's own script. */
  readonly checkHealth: () => Promise<number | null>;
  /** The root certificate of its own authority. */
  readonly readRoot: () => Promise<string>;
}

async function waitForExit(program: SiteProcess): Promise<number | null> {
  await waitFor('the end of the script', program.hasExited);

  return program.stop();
}

/** Starts the script with only these settings, which it may refuse. */
async function runProxy(settings: Environment): Promise<Proxy> {
  const [httpPort, httpsPort, plainPort] = await Promise.all([
    findFreePort(),
    findFreePort(),
    findFreePort(),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'test-proxy-'));
  const ports = {
    PROXY_HTTP_PORT: String(httpPort),
    PROXY_HTTPS_PORT: String(httpsPort),
    PROXY_PLAIN_PORT: String(plainPort),
  };
  const environment = {
    ...ports,
    WEB_HOST: '127.0.0.1',
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    PROXY_ADMIN: join(folder, 'admin.sock'),
    ...settings,
  };
  const proxy = startProgram('bash', ['deploy/proxy/start.sh'], environment);

  return {
    ...proxy,
    stop: async (signal) => {
      const exitCode = await proxy.stop(signal);
      await rm(folder, { recursive: true, force: true });

      return exitCode;
    },
    plainUrl: `http://localhost:${plainPort}`,
    httpPort,
    httpsPort,
    reload: () => waitForExit(startProgram('bash', ['deploy/proxy/start.sh', '--reload'], environment)),
    checkHealth: () =>
      waitForExit(startProgram('bash', ['deploy/proxy/check-health.sh'], { ...ports })),
    readRoot: () => readFile(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8'),
  };
}

/** Starts the proxy and waits until it listens. */
export async function startProxy(settings: Environment): Promise<Proxy> {
  const proxy = await runProxy(settings);
  await waitFor('the proxy', () => {
    if (proxy.hasExited()) throw new Error(`The proxy ended: ${proxy.output()}`);

    return proxy.output().includes('serving initial configuration');
  });

  return proxy;
}

/** Runs the script with settings it refuses, and returns its error output. */
export async function refuseProxy(settings: Environment): Promise<string> {
  const proxy = await runProxy(settings);
  await waitFor('the proxy to refuse its settings', proxy.hasExited);
  const exitCode = await proxy.stop();
  if (exitCode !== 1) throw new Error(`It ended with ${exitCode}: ${proxy.output()}`);

  return proxy.output();
}
