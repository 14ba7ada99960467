import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/free-port.ts';
import { withTimeout } from '../../shared/node/process/with-timeout.ts';
import { startProgram } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

/** Any JSON value. */
type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [name: string]: Json };

/** A browser with one page. Playwright can't drive the browser versions that people actually use. */
export interface OtherBrowser {
  /** Loads an address as if it were typed. */
  open(url: string): Promise<void>;
  /** Runs a function in the page. It can't use the test's variables; parameters and result are passed as JSON. */
  run<Parameters extends readonly Json[], Result extends Json | void>(
    script: (...parameters: Parameters) => Result,
    ...parameters: Parameters
  ): Promise<Result>;
  /** Moves the mouse to the middle of an element on the screen. */
  hover(selector: string): Promise<void>;
  /** Presses keys one after another. */
  type(keys: string | readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export type OtherBrowserName = 'firefox' | 'webkit';

/** Features that the visitor has turned off. */
export type Blocked = 'nothing' | 'scripts' | 'storage';

/** The common part of WebDriver (https://w3c.github.io/webdriver/) and its bidirectional successor. */
interface Driver {
  readonly open: (url: string) => Promise<unknown>;
  /** Evaluates an expression. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly performActions: (actions: readonly object[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** How long a browser may take to start on a busy machine, in milliseconds. */
const START_TIMEOUT = 90_000;

/** How long a browser may take to close, in milliseconds. A browser that hangs is killed. */
const CLOSE_TIMEOUT = 5_000;

/** Runs in the page. */
const readMiddle = (selector: string) => {
  const element = document.querySelector(selector);
  if (!element) throw new Error(`The page has no ${selector}.`);
  const { x, y, width, height } = element.getBoundingClientRect();

  return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
};

const press = (key: string) => [{ type: 'keyDown', value: key }, { type: 'keyUp', value: key }];

function makeBrowser({ open, evaluate, performActions, close }: Driver): OtherBrowser {
  const run: OtherBrowser['run'] = async (script, ...parameters) => {
    const text = await evaluate(`JSON.stringify([(${String(script)})(...${JSON.stringify(parameters)})])`);

    return (JSON.parse(String(text)) as [ReturnType<typeof script>])[0];
  };

  return {
    open: async (url) => void (await open(url)),
    run,
    close,
    hover: async (selector) => {
      const actions = [{ type: 'pointerMove', ...(await run(readMiddle, selector)) }];
      await performActions([{ type: 'pointer', id: 'mouse', actions }]);
    },
    type: async (keys) => void (await performActions([{ type: 'key', id: 'keyboard', actions: [...keys].flatMap(press) }])),
  };
}

/** These simulate a mouse for machines without one, and disable the pages that Firefox opens at startup. */
const firefoxPreferences = {
  nothing: {
    'ui.primaryPointerCapabilities': 6,
    'ui.allPointerCapabilities': 6,
    'ui.prefersReducedMotion': 1,
    'datareporting.policy.dataSubmissionEnabled': false,
    'browser.shell.checkDefaultBrowser': false,
  },
  scripts: { 'javascript.enabled': false },
  storage: { 'dom.storage.enabled': false, 'network.cookie.cookieBehavior': 2 },
} as const;

interface BidiResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
}

/** Returns a function that sends a WebDriver BiDi command over a socket and returns the result. */
async function connectBidi(url: string) {
  const socket = new WebSocket(url);
  const pending = new Map<number, (response: BidiResponse) => void>();
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  socket.addEventListener('message', ({ data }) => {
    const response = JSON.parse(String(data)) as BidiResponse;
    pending.get(response.id)?.(response);
  });

  return async <Result>(method: string, params: object): Promise<Result> => {
    const id = pending.size;
    const { result, error, message } = await new Promise<BidiResponse>((resolve) => {
      pending.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    if (error !== undefined) throw new Error(`${method}: ${error}, ${message}`);

    return result as Result;
  };
}

async function launchFirefox(home: string, blocked: Blocked): Promise<OtherBrowser> {
  const preferences = Object.entries({ ...firefoxPreferences.nothing, ...firefoxPreferences[blocked] });
  const lines = preferences.map((preference) => `user_pref(${JSON.stringify(preference).slice(1, -1)});`);
  await writeFile(join(home, 'user.js'), lines.join('\n'));
  const firefox = startProgram('firefox-esr', ['--headless', '--profile', home, '--remote-debugging-port', '0'], { HOME: home });
  const url = await waitFor('Firefox', () => /listening on (ws:\S+)/.exec(firefox.output())?.[1], START_TIMEOUT);
  const send = await connectBidi(`${url}/session`);
  await send('session.new', { capabilities: {} });
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context;

  return makeBrowser({
    open: (address) => send('browsingContext.navigate', { context, url: address, wait: 'complete' }),
    evaluate: async (expression) => {
      const evaluated = await send<{ result?: { value: unknown }; exceptionDetails?: { text: string } }>(
        'script.evaluate',
        { expression, target: { context }, awaitPromise: false },
      );
      if (!evaluated.result) throw new Error(evaluated.exceptionDetails?.text);

      return evaluated.result.value;
    },
    performActions: (actions) => send('input.performActions', { context, actions }),
    close: async () => void (await firefox.stop()),
  });
}

const MINI_BROWSER = '/usr/lib/*/webkit2gtk-4.1/MiniBrowser';

const webkitOptions = {
  nothing: [],
  scripts: ['--enable-javascript-markup=false'],
  storage: ['--enable-html5-local-storage=false', '--cookies-policy=never'],
} as const;

async function launchWebKit(home: string, blocked: Blocked): Promise<OtherBrowser> {
  const display = startProgram('Xvfb', ['-displayfd', '1', '-screen', '0', '1440x1000x24'], {});
  const number = await waitFor('the display', () => /^(\d+)$/m.exec(display.output())?.[1], START_TIMEOUT);
  const port = String(await findFreePort());
  const driver = startProgram('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    DISPLAY: `:${number}`,
    GDK_BACKEND: 'x11',
    HOME: home,
    LIBGL_ALWAYS_SOFTWARE: '1',
    // As root, WebKit can't create a sandbox. It doesn't need one, because the pages are our own.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  });
  const send = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = (await response.json()) as { value: Result & { message?: string } };
    if (!response.ok) throw new Error(`${path}: ${value.message}`);

    return value;
  };
  const args = ['--automation', ...webkitOptions[blocked]];
  const options = { binary: globSync(MINI_BROWSER)[0], args };
  const alwaysMatch = { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options };
  const { sessionId } = await waitFor(
    'WebKit',
    () => send<{ sessionId: string }>('POST', '', { capabilities: { alwaysMatch } }).catch(() => undefined),
    START_TIMEOUT,
  );
  const post = (command: string, body: object) => send('POST', `/${sessionId}/${command}`, body);

  return makeBrowser({
    open: (url) => post('url', { url }),
    evaluate: (expression) => post('execute/sync', { script: `return ${expression}`, args: [] }),
    performActions: (actions) => post('actions', { actions }),
    close: async () => {
      await withTimeout(() => send('DELETE', `/${sessionId}`), CLOSE_TIMEOUT).catch(() => undefined);
      await driver.stop();
      await display.stop();
    },
  });
}

/** Launches Debian's Firefox ESR, or Safari's engine in WebKitGTK's test browser. */
export async function launchOtherBrowser(name: OtherBrowserName, blocked: Blocked = 'nothing'): Promise<OtherBrowser> {
  const home = await mkdtemp(join(tmpdir(), 'test-browser-'));
  const browser = await (name === 'firefox' ? launchFirefox : launchWebKit)(home, blocked);

  return {
    ...browser,
    close: async () => {
      await browser.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
