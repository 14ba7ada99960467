import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contentFolder, loadContent } from './load-content.ts';

const SOLUTION = 'solutions/vendor-management.yaml';

/** A copy of the sample content in which one file is another. */
async function changeFile(file: string, change: (text: string) => string | Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-content-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(contentFolder, folder, { recursive: true });
  await writeFile(join(folder, file), change(await readFile(join(folder, file), 'utf8')));

  return folder;
}

const readMistakes = async (folder: string) =>
  loadContent(folder).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  );

test.each([
  ['a wrong word', (text: string) => text.replace('icon: users', 'icon: user'), ':28: pairs.pairs.0.problem.icon is not known: did you mean users?'],
  ['an unknown field', (text: string) => `${text}color: red\n`, ':152: color is not a known field'],
  ['a missing field', (text: string) => text.replace(/^headline: .*\n/m, ''), ':1: headline is missing'],
  ['a missing field of a part', (text: string) => text.replace(/ {2}role: .*\n/, ''), ':132: testimonial.role is missing'],
  ['too few points', (text: string) => text.replace(/ {4}- title: Fewer(.|\n)*?(?= {4}- title)/, ''), ':77: benefits.points needs 4 or 6 items, has 5'],
  ['a picture that is not there', (text: string) => text.replace(/^picture: .*/m, 'picture: vendor.jpg'), ': there is no picture vendor.jpg in content/pictures'],
  ['what is not YAML', (text: string) => text.replace('name: ', 'name: "'), ':152: is not valid YAML: Missing closing'],
  ['an empty file', () => '', ': is empty'],
  ['a picture by the name of a text', () => Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]), ': is not a text file in UTF-8'],
])('%s is reported with file and line', async (_what, change, message) => {
  const mistakes = await readMistakes(await changeFile(SOLUTION, change));

  expect(mistakes).toEqual([expect.stringContaining(`content/${SOLUTION}${message}`)]);
});

test.each([
  ['site.yaml', "brand: '#386A49'", "brand: '#6FA582'", 'colors.brand needs a contrast of 4.5 to white and cream and sand: the nearest that has it is #'],
  ['site.yaml', "deep: '#0F1F16'", "deep: '#8A9A90'", 'colors.deep needs a contrast of 4.5 to white and cream: the nearest that has it is #'],
  ['site.yaml', "fieldBorder: '#857C69'", "fieldBorder: '#CCCCCC'", 'colors.fieldBorder needs a contrast of 3 to white and cream: the nearest that has it is #'],
  ['site.yaml', "gold: '#CA8A04'", "gold: '#FFF3A0'", 'colors.accents.gold has no shade with a contrast of 4.5: the nearest that has it is #'],
  ['site.yaml', "sand: '#EFE7D6'", 'sand: #EFE7D6', "colors.sand must be a color like '#386A49', in quotes"],
  ['site.yaml', 'logo: logo.svg', 'logo: logo.png', 'logo must be an SVG'],
  ['site.yaml', 'locale: en-US', 'locale: en_US', 'locale must be a language such as en or en-US'],
  ['mails.yaml', 'by {time}', 'by {tiem}', "acknowledgment.preview can't have {tiem}: only {name}, {url}, {time} are filled in"],
])('in %s, %s may not become %s', async (file, before, after, message) => {
  const line = (await readFile(join(contentFolder, file), 'utf8')).split('\n').findIndex((words) => words.includes(before)) + 1;
  const [mistake] = await readMistakes(await changeFile(file, (text) => text.replace(before, after)));

  expect(mistake).toContain(`content/${file}:${line}: ${message}`);
});

test('the color that is named instead passes', async () => {
  const change = (color: string) => changeFile('site.yaml', (text) => text.replace("brand: '#386A49'", `brand: '${color}'`));
  const [mistake = ''] = await readMistakes(await change('#6FA582'));
  const nearest = /#\w{6}$/.exec(mistake)?.[0] ?? '';

  expect(await loadContent(await change(nearest))).toMatchObject({ brand: { accents: { brand: nearest } } });
});

test('all mistakes of all files are reported at once', async () => {
  const folder = await changeFile(SOLUTION, (text) => text.replace('accent: cyan', 'accent: teal').replace('order: 70', 'order: last'));
  const file = join(folder, 'industries.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replace('slug: healthcare', 'slug: Health Care'));

  expect(await readMistakes(folder)).toHaveLength(3);
});

test('Windows line ends and a byte order mark change nothing', async () => {
  const folder = await changeFile(SOLUTION, (text) => `\uFEFF${text.replaceAll('\n', '\r\n')}`);

  expect(await loadContent(folder)).toEqual(await loadContent());
});
