import { samples } from '#content/samples';
import { describeSamples } from '../../shared/content/samples.ts';
import type { Config } from '../../shared/node/config/config.ts';
import { SAMPLE_NAME } from '../../shared/node/config/settings.ts';
import { pass, type Check } from '../../shared/node/monitoring/check.ts';

const sampleNames = {
  SITE_NAME: ({ site }: Config) => site.name === SAMPLE_NAME,
  LEGAL_ENTITY: ({ site }: Config) => site.legalEntity === SAMPLE_NAME,
  LEGAL_EMAIL: ({ site }: Config) => site.legalEmail.endsWith('@example.com'),
};

export const checkSamples = (config: Config): Check => ({
  name: 'sample copy',
  run: async () => {
    const names = Object.entries(sampleNames).flatMap(([name, isSample]) => (isSample(config) ? [name] : []));
    const left = [...names, ...describeSamples(samples)];

    return left.length === 0
      ? pass('None is left.')
      : { state: 'info', detail: `Replace it, or remove it, before the site goes live. ${left.join('; ')}.` };
  },
});
