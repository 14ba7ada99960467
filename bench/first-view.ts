/** A page as a browser gets it at first; in kB of 1,000 bytes, as sent with brotli. */
export interface FirstView {
  readonly html: number;
  readonly scripts: number;
}

/** A text and the kilobytes it took on the way here. @throws when it isn't answered with 200 and a length */
export async function fetchText(url: string): Promise<{ text: string; kilobytes: number }> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'br' } });
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}.`);
  const length = answer.headers.get('content-length');
  if (length === null) throw new Error(`${url} doesn’t say how long it is.`);
  const kilobytes = Number(length) / 1000;

  return { text: await answer.text(), kilobytes };
}

/** The scripts a document asks for: the first one, and those its data name. */
function listScripts(html: string): string[] {
  const [, first] = /<script[^>]* src="([^"]+)"/.exec(html) ?? [];
  const [, data = '{}'] = /<script[^>]* id="page-data"[^>]*>([^<]*)/.exec(html) ?? [];
  const { scripts = [] } = JSON.parse(data) as { scripts?: string[] };
  if (first === undefined || scripts.length === 0) throw new Error('A document has no scripts.');

  return [first, ...scripts];
}

/** Fetches a page with the scripts that make it live. */
export async function fetchFirstView(origin: string, path: string): Promise<FirstView> {
  const { text, kilobytes } = await fetchText(origin + path);
  let scripts = 0;
  for (const script of listScripts(text)) scripts += (await fetchText(origin + script)).kilobytes;

  return { html: kilobytes, scripts };
}
