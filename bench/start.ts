import { measureImages, type ImageSizes } from './measure-images.ts';
import { compareStarts, START_REPEATS, type StartComparison } from './measure-start.ts';
import { moveToLoadCore } from './pinned-process.ts';
import { writeNumber, writeTable } from './report.ts';
import { runPart } from './run-part.ts';
import { startStores } from './start-stores.ts';

/** @param asItComes milliseconds of the baseline without a cache */
function listStarts(name: string, { baseline, site }: StartComparison, asItComes: number) {
  const times = (ms: number, ofBaseline: number) => `${writeNumber(ms / ofBaseline)} ×`;
  const { ms, cpuMs, mib } = site;

  return [
    [`plain Fastify, ${name}`, baseline.ms, baseline.cpuMs, baseline.mib, '', ''],
    [`the site, ${name}`, ms, cpuMs, mib, times(ms, baseline.ms), times(ms, asItComes)],
  ];
}

function describeStarts(starts: Awaited<ReturnType<typeof compareStarts>>): string[] {
  const asItComes = starts.withoutCache.baseline.ms;

  return [
    `Spawn to the first 200 of \`/\`, asked every 5 ms; ${START_REPEATS} starts of each. PostgreSQL ` +
      'and Redis are up; the site reads and checks its settings and its articles, and renders and ' +
      'compresses the page. The baseline has the same bytes from a file, and Node as it ' +
      'comes. The site has what the image sets for it. Its compile cache is that of one start, as in ' +
      'the image; beside it stands the baseline with one of its own too.',
    writeTable(
      ['start', 'to first 200 ms', 'processor ms', 'memory MiB', 'to plain Fastify alike', 'to plain Fastify as it comes'],
      [
        ...listStarts('with a compile cache', starts.asInTheImage, asItComes),
        ...listStarts('without', starts.withoutCache, asItComes),
      ],
    ),
  ];
}

function describeImages(sizes: ImageSizes | undefined): string[] {
  if (!sizes) return ['Image sizes were not measured here: no Docker.'];

  return [
    `Images as built by ${sizes.engine}: what our build adds, and 75 MB for Debian slim.`,
    writeTable(['image', 'MB'], [...sizes.megabytes]),
  ];
}

await runPart(['redis-server'], async (atEnd) => {
  const images = await measureImages(atEnd);
  moveToLoadCore();
  const { settings } = await startStores(atEnd);
  const starts = await compareStarts(settings, atEnd);

  return {
    part: 'start',
    packages: ['fastify'],
    blocks: [...describeStarts(starts), ...describeImages(images)],
  };
});
