import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { startProgram, type Environment, type SiteProcess } from './site-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { waitFor } from './wait-for.ts';

/** The stack's proxy, started by its script with free ports and a temporary folder. */
export interface Proxy extends SiteProcess {
  /** The site's origin without TLS, which only this machine can reach. */
  readonly plainUrl: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Runs the script to reload the certificate. Returns its exit code. */
  readonly reload: () => Promise<number | null>;
  /** Runs the image's health check. Returns its exit code. */
  readonly checkHealth: () => Promise<number | null>;
  /** Reads the root certificate of the proxy's own authority. */
  readonly readRoot: () => Promise<string>;
}

async function waitForExit(program: SiteProcess): Promise<number | null> {
  await waitFor('the script to exit', program.hasExited);

  return program.stop();
}

/** Starts the script, which may refuse the settings, and stops it when the test ends. */
async function runProxy(settings: Environment): Promise<Proxy> {
  const [httpPort, httpsPort, plainPort] = await Promise.all([
    findFreePort(),
    findFreePort(),
    findFreePort(),
  ]);
  const folder = makeTemporaryFolder();
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
  onTestFinished(async () => void (await proxy.stop()));

  return {
    ...proxy,
    plainUrl: `http://localhost:${plainPort}`,
    httpPort,
    httpsPort,
    reload: () => waitForExit(startProgram('bash', ['deploy/proxy/start.sh', '--reload'], environment)),
    checkHealth: () =>
      waitForExit(startProgram('bash', ['deploy/proxy/check-health.sh'], { ...ports })),
    readRoot: () => readFile(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8'),
  };
}

/** Starts the proxy, waits until it listens, and stops it when the test ends. */
export async function startProxy(settings: Environment): Promise<Proxy> {
  const proxy = await runProxy(settings);
  await waitFor('the proxy', () => {
    if (proxy.hasExited()) throw new Error(`The proxy exited: ${proxy.output()}`);

    return proxy.output().includes('serving initial configuration');
  });

  return proxy;
}

/** Runs the script with settings that it refuses. Returns its output. */
export async function refuseProxy(settings: Environment): Promise<string> {
  const proxy = await runProxy(settings);
  await waitFor('the proxy to refuse its settings', proxy.hasExited);
  const exitCode = await proxy.stop();
  if (exitCode !== 1) throw new Error(`The proxy exited with ${exitCode}: ${proxy.output()}`);

  return proxy.output();
}
