import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { startProcess, waitForOutput } from '../processes.ts';

const START_TIMEOUT_MS = 60_000;

/** Serves a build on 127.0.0.1 until SIGINT or SIGTERM. It has no database, so forms don't work. */
export async function preview(build: string): Promise<void> {
  const port = process.env.PREVIEW_PORT || '3001';
  const env = {
    ...process.env,
    ...{ NODE_ENV: 'production', SITE_BUILD: build, LOG_LEVEL: 'info', HOST: '127.0.0.1', PORT: port },
    ...{ PUBLIC_URL: `http://localhost:${port}`, DATABASE_URL: 'postgres://127.0.0.1:1/none', COOKIE_SECRET: randomBytes(32).toString('hex') },
    // Clears secrets, settings that require them, and a port that the running site may be using.
    ...{ SECRETS_DIR: '', ENV_FILE: '', REDIS_URL: '', METRICS_PORT: '', SMTP_URL: '', CRM_PROVIDER: 'none' },
  };
  const web = startProcess(process.execPath, ['server/run-web.ts'], { name: 'The preview', env });
  await waitForOutput(web, 'Server listening at', START_TIMEOUT_MS);
  console.log(`The preview is at http://localhost:${port}. Ctrl-C ends it.`);
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const ended = await Promise.race([stopped.then(() => undefined), web.exited]);
  if (ended !== undefined) throw new Error(`The preview stopped (${ended}):\n${web.output()}`);
  await web.stop();
}
