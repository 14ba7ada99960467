import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { contentFolder, loadContent } from './load-content.ts';
import { listFiles } from './site-paths.ts';

/** Copies the sample content for a test. */
async function copyContent(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-content-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(contentFolder, folder, { recursive: true });

  return folder;
}

/** Changes or adds one file in a copy of the sample content. Returns the copy's folder. */
async function changeFile(file: string, change: (text: string) => string | Buffer, copy?: string): Promise<string> {
  const folder = copy ?? (await copyContent());
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, change(existsSync(path) ? await readFile(path, 'utf8') : ''));

  return folder;
}

const readMistakes = async (folder: string) =>
  loadContent(folder).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  );

const replace = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);
const append = (line: string) => (text: string) => `${text}${line}\n`;
const make = (content: string | Buffer) => () => content;

const SOLUTION = 'solutions/vendor-management.yaml';
const ARTICLE = 'articles/ai-trends-2024.mdx';
const REDIRECTS = 'redirects.yaml';
const drawing = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">\n${inside}\n</svg>`;
const hugePicture = await sharp({ create: { width: 10_000, height: 8_000, channels: 3, background: 'white' } }).png().toBuffer();

/** A mistake: its name, the file, the change that causes it, and the message that follows the file name. */
type Row = readonly [string, string, (text: string) => string | Buffer, string | RegExp];

const rows: readonly Row[] = [
  ['a misspelled word', SOLUTION, replace('icon: users', 'icon: user'), ':28: pairs.pairs.0.problem.icon is not known: did you mean users?'],
  ['an unknown vignette', SOLUTION, replace(/^vignette: .*/m, 'vignette: vendor-managment'), /:\d+: vignette is not known: did you mean vendor-management\?/],
  ['an unknown field', SOLUTION, append('color: red'), ':152: color is not a known field'],
  ['a missing field', SOLUTION, replace(/^headline: .*\n/m, ''), ':1: headline is missing'],
  ['a missing field in a section', SOLUTION, replace(/ {2}role: .*\n/, ''), ':132: testimonial.role is missing'],
  ['too few points', SOLUTION, replace(/ {4}- title: Fewer(.|\n)*?(?= {4}- title)/, ''), ':77: benefits.points needs 4 or 6 items, has 5'],
  ['a missing picture', SOLUTION, replace(/^picture: .*/m, 'picture: vendor.jpg'), /:\d+: there is no picture vendor.jpg in content\/pictures/],
  ['an article with a missing picture', ARTICLE, replace(/^picture: .*/m, 'picture: none'), /:\d+: there is no picture articles\/none.jpg/],
  ['invalid YAML', SOLUTION, replace('name: ', 'name: "'), ':152: is not valid YAML: Missing closing'],
  ['an unquoted text with a colon', SOLUTION, replace(/^headline: .*/m, 'headline: One thing: this'), ':15: is not valid YAML: a text that contains ": " must be in quotes'],
  ['a picture with a text file’s extension', SOLUTION, make(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0])), ': is not a text file in UTF-8'],
  ['an invalid file name', 'articles/Our News.mdx', make('---\n---\n'), ': must have a name of lower-case letters'],
  ['a legal text without a page', 'legal/impressum.mdx', make('---\ntitle: a\n---\n'), /: must be called privacy-policy or .*imprint/],
  ['a dead link in YAML', 'site.yaml', replace('to: /contact', 'to: /contacts'), /:\d+: there is no page \/contacts/],
  ['a dead link in a text', ARTICLE, append('[this](/insights/none)'), /:\d+: there is no page \/insights\/none/],
  ['a dead anchor in YAML', 'site.yaml', replace('to: /contact', 'to: /about#team'), /:\d+: the page has no anchor #team/],
  ['a dead anchor in an article', ARTICLE, append('[this](#none)'), /:\d+: the page has no anchor #none/],
  ['a link without a leading slash', ARTICLE, append('[this](contact)'), /:\d+: the link "contact" must begin with/],
  ['a picture without alternative text', ARTICLE, append('![ ](/favicon.svg)'), /:\d+: the picture \/favicon.svg has no alternative text/],
  ['a missing picture in a text', ARTICLE, append('![A drawing](/drawing.png)'), /:\d+: there is no picture \/drawing.png/],
  ['an unclosed tag', ARTICLE, append('<Summary>'), /:\d+: is not valid MDX: /],
  ['a drawing with a script', 'pictures/chart.svg', make(drawing('<script>alert(1)</script>')), ':2: has a script'],
  ['a drawing with an event handler', 'pictures/chart.svg', make(drawing('<g onload="alert(1)"/>')), ':2: has a script'],
  ['a drawing that loads another file', 'static/logo.svg', make(drawing('<use href="https://other.example/a.svg#a"/>')), ':2: refers to another file'],
  ['a huge picture', 'pictures/huge.png', make(hugePicture), ': has 80 megapixels, but at most 50'],
  ['a text with a picture file’s extension', 'pictures/team.jpg', make('none'), ': is not a picture'],
  ['a file at the address of a page', 'static/About', make(''), ': has the same address as a page or file'],
  ['a file at the address of an API call', 'static/api/x.json', make(''), ': has the same address as a page or file'],
  ['a redirect loop', REDIRECTS, make('/a: /b\n/c: /about\n/b: /A/\n'), ':1: /a leads to a redirect loop'],
  ['a redirect to nowhere', REDIRECTS, make('# Old pages\n/a: /about-us\n'), ':2: /a leads to /about-us, where there is no page'],
  ['a redirect chain to nowhere', REDIRECTS, make('/a: /b\n/b: /none\n'), ':1: /a leads to /none'],
  ['a redirect from a page', REDIRECTS, make('/Contact/: /about\n'), ':1: /Contact/ is the address of a page or file'],
  ['a redirect from an API call', REDIRECTS, make('/api/contact-submissions: /about\n'), /:1: .* is the address of a page or file/],
  ['a redirect from an asset', REDIRECTS, make('/assets/a.js: /about\n'), /:1: .* is the address of a page or file/],
  ['a redirect without a leading slash', REDIRECTS, make('about-us: /about\n'), ':1: about-us must be a path like /old-page'],
  ['a redirect without HTTPS', REDIRECTS, make('/a: http://other.example\n'), ':1: /a must lead to a path like /about or to an https address'],
  ['a redirect to another site with two leading slashes', REDIRECTS, make('/a: //other.example\n'), ':1: /a must lead to a path'],
  ['a duplicate redirect', REDIRECTS, make('/a: /about\n/A/: /contact\n'), ':2: /A/ is listed twice'],
];

/** Batches of mistakes in different files. A batch shares one copy of the content, because reading a copy is slow. */
const batches: Row[][] = [];
for (const row of rows) {
  const open = batches.find((batch) => batch.every(([, file]) => file !== row[1]));
  if (open) open.push(row);
  else batches.push([row]);
}

test.each(batches.map((batch) => ({ batch })))('mistakes are reported with file and line (batch %#)', async ({ batch }) => {
  const folder = await copyContent();
  for (const [, file, change] of batch) await changeFile(file, change, folder);
  const mistakes = await readMistakes(folder);

  for (const [what, file, , message] of batch) {
    const [mistake = ''] = mistakes.filter((text) => text.startsWith(`content/${file}:`));
    expect(mistake.slice(`content/${file}`.length), what).toMatch(message);
  }
});

test.each([
  ['site.yaml', "brand: '#386A49'", "brand: '#6FA582'", 'colors.brand needs a contrast of at least 4.5 against white and cream and sand; the nearest color that passes is #'],
  ['site.yaml', "deep: '#0F1F16'", "deep: '#8A9A90'", 'colors.deep needs a contrast of at least 4.5 against white and cream; the nearest color that passes is #'],
  ['site.yaml', "fieldBorder: '#857C69'", "fieldBorder: '#CCCCCC'", 'colors.fieldBorder needs a contrast of at least 3 against white and cream; the nearest color that passes is #'],
  ['site.yaml', "gold: '#CA8A04'", "gold: '#FFF3A0'", 'colors.accents.gold has no shade with a contrast of at least 4.5; the nearest color that passes is #'],
  ['site.yaml', "sand: '#EFE7D6'", 'sand: #EFE7D6', "colors.sand must be a color like '#386A49', in quotes"],
  ['site.yaml', 'logo: logo.svg', 'logo: logo.png', 'logo must be an SVG'],
  ['site.yaml', 'locale: en-US', 'locale: en_US', 'locale must be a language such as en or en-US'],
  ['mails.yaml', 'by {time}', 'by {tiem}', "acknowledgment.preview can't have {tiem}: only {name}, {url}, {time} are filled in"],
  ['mails.yaml', 'Hi {visitor}', 'Hi {name of the visitor}', "answer.paragraphs.0 can't have {name of the visitor}: only {visitor}, {company}, {name}, {booking} are filled in"],
])('in %s, replacing %s with %s is rejected', async (file, before, after, message) => {
  const line = (await readFile(join(contentFolder, file), 'utf8')).split('\n').findIndex((words) => words.includes(before)) + 1;
  const [mistake] = await readMistakes(await changeFile(file, (text) => text.replace(before, after)));

  expect(mistake).toContain(`content/${file}:${line}: ${message}`);
});

test('the suggested color is accepted', async () => {
  const change = (color: string) => changeFile('site.yaml', (text) => text.replace("brand: '#386A49'", `brand: '${color}'`));
  const [mistake = ''] = await readMistakes(await change('#6FA582'));
  const nearest = /#\w{6}$/.exec(mistake)?.[0] ?? '';

  expect(await loadContent(await change(nearest))).toMatchObject({ brand: { accents: { brand: nearest } } });
});

test('all mistakes in all files are reported together', async () => {
  const folder = await changeFile(SOLUTION, (text) => text.replace('accent: cyan', 'accent: teal').replace('order: 70', 'order: last'));
  const file = join(folder, 'industries.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replace('slug: healthcare', 'slug: Health Care'));
  await rm(join(folder, 'legal/accessibility.mdx'));

  expect(await readMistakes(folder)).toEqual([
    ...[expect.stringMatching(/^content\/industries.yaml:\d+: /), 'content/legal/accessibility.mdx: is missing'],
    ...[expect.stringContaining(SOLUTION), expect.stringContaining(SOLUTION)],
  ]);
});

const listTexts = (folder: string) => listFiles(folder).filter((file) => file.endsWith('.yaml') && !['industries.yaml', REDIRECTS].includes(file));

test('files may have Windows line endings and a byte order mark, and articles and solutions may be removed', async () => {
  const folder = await changeFile(REDIRECTS, make('/insights/ai-trends-2024: /insights\n/solutions/cross-selling-ai: /\n'));
  for (const file of [ARTICLE, 'solutions/cross-selling-ai.yaml']) await rm(join(folder, file));
  const valid = await loadContent(folder);
  for (const file of listTexts(folder)) await changeFile(file, (text) => `\uFEFF${text.replaceAll('\n', '\r\n')}`, folder);

  expect(await loadContent(folder)).toEqual(valid);
});

test('drafts and articles with a future date are omitted, and links to them are reported', async () => {
  const article = await readFile(join(contentFolder, ARTICLE), 'utf8');
  const folder = await changeFile('articles/draft.mdx', make(article.replace('---', '---\ndraft: true')));
  const later = article.replace(/^date: .*/m, 'date: 2999-01-02');
  await writeFile(join(folder, 'articles/later.mdx'), later);
  const sample = await loadContent();

  expect(await loadContent(folder)).toEqual({ ...sample, nextArticleOn: '2999-01-02' });
  await writeFile(join(folder, 'articles/later.mdx'), `${later}[this](/insights/draft)\n`);
  expect(await readMistakes(folder)).toEqual([expect.stringContaining('there is no page /insights/draft')]);
});

test('redirects, an imprint and static files are loaded', async () => {
  const redirects = '/Old/: /older\n/older: /static.pdf\n/café: https://other.example\n/imp: /imprint#us\n';
  const folder = await changeFile(REDIRECTS, make(`\uFEFF${redirects.replaceAll('\n', '\r\n')}`));
  await mkdir(join(folder, 'static'));
  await writeFile(join(folder, 'static/static.pdf'), '');
  await cp(join(folder, 'legal/accessibility.mdx'), join(folder, 'legal/imprint.mdx'));
  const { hasImprint, redirects: read } = await loadContent(folder);

  expect(hasImprint).toBe(true);
  expect(read).toEqual({
    ...{ '/old': '/static.pdf', '/older': '/static.pdf' },
    ...{ '/caf%c3%a9': 'https://other.example/', '/imp': '/imprint#us' },
  });
});
