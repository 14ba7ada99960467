import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { listSlugs } from '../../scripts/content/site-paths.ts';
import type { Chance } from '../faults/chance.ts';

type Fields = Record<string, unknown>;

const NAMES = ['Straße & Söhne', 'Façade', 'Año nuevo', 'Łódź', 'Ψυχή', 'Żółć'] as const;
const LOCALES = ['en-US', 'de-AT', 'pl-PL', 'es-MX'] as const;
/** The first two industries must remain, because requests in tests name them. */
const USED_INDUSTRIES = 2;
const BRANDS = ['#386A49', '#1F4E8C', '#7A1F5C', '#8A3B12'] as const;

/** Paths of redirects and static files that the changed content adds. */
export const ADDED_PATHS = ['/Old-page/', '/google123.html', '/.well-known/check', '/Preise%20ß.txt'];

/** Changes pages, texts and colors in a copy of the sample content, so that it is still valid. */
export async function randomizeContent(folder: string, { between, pick }: Chance): Promise<void> {
  const isChosen = () => between(0, 1) === 1;
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const edit = async (file: string, change: (fields: Fields) => void) => {
    const fields = parse(await read(file)) as Fields;
    change(fields);
    await writeFile(join(folder, file), stringify(fields));
  };
  const remove = (fields: Fields, ...names: string[]) => {
    for (const name of names.filter(isChosen)) delete fields[name];
  };
  const redirects: Fields = { '/Old-page/': '/older', '/older': '/about?from=old', '/papers.pdf': 'https://files.example.com/a.pdf' };

  /** Removes or copies pages until there are `count`, and redirects the paths of removed pages. */
  const setCount = async (kind: string, extension: string, path: string, count: number) => {
    const slugs = listSlugs(join(folder, kind), extension);
    const pathOf = (slug: string) => join(folder, kind, slug + extension);
    for (let missing = slugs.length; missing < count; missing += 1) {
      await cp(pathOf(slugs[between(0, slugs.length - 1)] ?? ''), pathOf(`${kind}-${missing}`));
    }
    for (let left = slugs.length; left > count; left -= 1) {
      const [slug = ''] = slugs.splice(between(0, left - 1), 1);
      await rm(pathOf(slug));
      redirects[`${path}/${slug}`] = pick(['/', '/about', '/contact#request']);
    }
  };
  await setCount('solutions', '.yaml', '/solutions', between(1, 11));
  await setCount('articles', '.mdx', '/insights', between(0, 10));

  await edit('site.yaml', (site) => {
    site['locale'] = pick(LOCALES);
    site['lang'] = site['locale'];
    site['tagline'] = pick(NAMES);
    (site['colors'] as Fields)['brand'] = pick(BRANDS);
    site['socialLinks'] = [{ label: pick(NAMES), url: 'https://social.example/us' }];
    remove(site['promos'] as Fields, 'solutions', 'industries');
    remove(site, 'securityClaims', 'promos', 'socialLinks');
  });
  const hasEstimateLink = isChosen();
  await edit('pages/contact.yaml', (page) => {
    if (!hasEstimateLink) delete page['estimate'];
    remove(page, 'nextPages');
  });
  await edit('pages/home.yaml', (page) => {
    page['headline'] = pick(NAMES);
    remove(page, 'testimonials');
  });
  for (const slug of listSlugs(join(folder, 'solutions'), '.yaml')) {
    await edit(`solutions/${slug}.yaml`, (page) => {
      page['name'] = `${pick(NAMES)} ${between(1, 99)}`;
      page['order'] = between(1, 100);
      page['group'] = pick(['solutions', 'products']);
      remove(page, 'figures', 'testimonial', 'mapping', 'platform', 'enterpriseBenefits', 'vignette', 'stepsAccent');
      if (!hasEstimateLink) remove(page, 'hasEstimate');
    });
  }
  // These pictures have the same content, so they share a file. Client and server builds must name it identically.
  await cp(join(folder, 'pictures/hero-home.jpg'), join(folder, 'pictures/copy.jpg'));
  await edit(`solutions/${listSlugs(join(folder, 'solutions'), '.yaml')[0]}.yaml`, (page) => (page['picture'] = 'copy.jpg'));
  const industries = parse(await read('industries.yaml')) as unknown[];
  await writeFile(join(folder, 'industries.yaml'), stringify(industries.slice(0, between(USED_INDUSTRIES, industries.length))));
  if (isChosen()) await cp(join(folder, 'legal/accessibility.mdx'), join(folder, 'legal/imprint.mdx'));
  await mkdir(join(folder, 'static/.well-known'), { recursive: true });
  for (const file of ['google123.html', '.well-known/check', 'Preise ß.txt']) await writeFile(join(folder, 'static', file), file);
  await writeFile(join(folder, 'redirects.yaml'), stringify(redirects));
}
