import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/free-port.ts';
import { startProgram } from './site-process.ts';
import { waitFor } from './wait-for.ts';

/** What JSON can hold. */
type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [name: string]: Json };

/** The only page of a browser that Playwright can't drive as its users have it. */
export interface OtherBrowser {
  /** Loads an address as if it were typed. */
  open(url: string): Promise<void>;
  /** Runs a function in the page. Its parameters and result go through JSON, and it sees nothing of the test's. */
  run<Parameters extends readonly Json[], Result extends Json | void>(
    script: (...parameters: Parameters) => Result,
    ...parameters: Parameters
  ): Promise<Result>;
  close(): Promise<void>;
}

export type OtherBrowserName = 'firefox' | 'webkit';

/** What WebDriver (https://w3c.github.io/webdriver/) and its bidirectional successor share. */
interface Driver {
  readonly open: (url: string) => Promise<unknown>;
  /** Evaluates an expression. */
  readonly evaluate: (expression: string) => Promise<unknown>;
}

/** Milliseconds a browser may take to start on a machine that does other things too. */
const START_TIMEOUT = 90_000;

function makeBrowser({ open, evaluate }: Driver, close: () => Promise<void>): OtherBrowser {
  return {
    open: async (url) => void (await open(url)),
    run: async (script, ...parameters) => {
      const text = await evaluate(`JSON.stringify([(${String(script)})(...${JSON.stringify(parameters)})])`);

      return (JSON.parse(String(text)) as [ReturnType<typeof script>])[0];
    },
    close,
  };
}

/** Makes a folder for all that a browser writes, and the variables that have it written there. */
async function makeHome() {
  const home = await mkdtemp(join(tmpdir(), 'test-browser-'));

  return { home, remove: () => rm(home, { recursive: true, force: true }) };
}

/** A mouse, which Firefox doesn't find on a machine without one; and no pages of its own at the start. */
const FIREFOX_PREFERENCES = {
  'ui.primaryPointerCapabilities': 6,
  'ui.allPointerCapabilities': 6,
  'ui.prefersReducedMotion': 1,
  'datareporting.policy.dataSubmissionEnabled': false,
  'browser.shell.checkDefaultBrowser': false,
};

interface BidiResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
}

/** Sends commands of WebDriver BiDi over a socket, and returns their results. */
async function connectBidi(url: string) {
  const socket = new WebSocket(url);
  const pending = new Map<number, (response: BidiResponse) => void>();
  let count = 0;
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  socket.addEventListener('message', ({ data }) => {
    const response = JSON.parse(String(data)) as BidiResponse;
    pending.get(response.id)?.(response);
    pending.delete(response.id);
  });

  return async <Result>(method: string, params: object): Promise<Result> => {
    const id = (count += 1);
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error, message } = await new Promise<BidiResponse>((resolve) => pending.set(id, resolve));
    if (error !== undefined) throw new Error(`${method}: ${error}, ${message}`);

    return result as Result;
  };
}

async function launchFirefox(): Promise<OtherBrowser> {
  const { home, remove } = await makeHome();
  const preferences = Object.entries(FIREFOX_PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(home, 'user.js'), preferences.join('\n'));
  const firefox = startProgram('firefox-esr', ['--headless', '--profile', home, '--remote-debugging-port', '0'], { HOME: home });
  const close = async () => {
    await firefox.stop();
    await remove();
  };
  const url = await waitFor('Firefox', () => /listening on (ws:\S+)/.exec(firefox.output())?.[1], START_TIMEOUT);
  const send = await connectBidi(`${url}/session`);
  await send('session.new', { capabilities: {} });
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context;

  return makeBrowser(
    {
      open: (address) => send('browsingContext.navigate', { context, url: address, wait: 'complete' }),
      evaluate: async (expression) => {
        const evaluated = await send<{ result?: { value: unknown }; exceptionDetails?: { text: string } }>(
          'script.evaluate',
          { expression, target: { context }, awaitPromise: false },
        );
        if (!evaluated.result) throw new Error(evaluated.exceptionDetails?.text);

        return evaluated.result.value;
      },
    },
    close,
  );
}

const MINI_BROWSER = '/usr/lib/*/webkit2gtk-4.1/MiniBrowser';

async function launchWebKit(): Promise<OtherBrowser> {
  const { home, remove } = await makeHome();
  const display = startProgram('Xvfb', ['-displayfd', '1', '-screen', '0', '1440x1000x24'], {});
  const number = await waitFor('the display', () => /^(\d+)\n/.exec(display.output())?.[1], START_TIMEOUT);
  const port = String(await findFreePort());
  const driver = startProgram('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    DISPLAY: `:${number}`,
    GDK_BACKEND: 'x11',
    HOME: home,
    LIBGL_ALWAYS_SOFTWARE: '1',
    // As root it may not make a sandbox; the pages are ours.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  });
  const send = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = (await response.json()) as { value: Result & { message?: string } };
    if (!response.ok) throw new Error(`${path}: ${value.message}`);

    return value;
  };
  const options = { binary: globSync(MINI_BROWSER)[0], args: ['--automation'] };
  const alwaysMatch = { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options };
  const { sessionId } = await waitFor(
    'WebKit',
    () => send<{ sessionId: string }>('POST', '', { capabilities: { alwaysMatch } }).catch(() => undefined),
    START_TIMEOUT,
  );
  const post = <Result>(command: string, body: object) => send<Result>('POST', `/${sessionId}/${command}`, body);

  return makeBrowser(
    {
      open: (url) => post('url', { url }),
      evaluate: (expression) => post('execute/sync', { script: `return ${expression}`, args: [] }),
    },
    async () => {
      await send('DELETE', `/${sessionId}`);
      await driver.stop();
      await display.stop();
      await remove();
    },
  );
}

/** Launches Debian's Firefox ESR, or the engine of Safari in WebKitGTK's browser for tests. */
export const launchOtherBrowser = (name: OtherBrowserName): Promise<OtherBrowser> =>
  name === 'firefox' ? launchFirefox() : launchWebKit();
