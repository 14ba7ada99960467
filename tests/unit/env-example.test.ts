import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { MAX_CONNECTIONS } from '../../server/http/connections.ts';
import { settings } from '../../shared/node/config/settings.ts';

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

const example = await read('.env.example');
const compose = await read('docker-compose.yml');

/** The variables and their values in the file. Commented ones show their default. */
function readVariables(pattern: RegExp): ReadonlyMap<string, string> {
  return new Map([...example.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]));
}

const required = readVariables(/^([A-Z_]+)=(.*)$/gm);
const optional = readVariables(/^# ([A-Z_]+)=(.*)$/gm);
const documented = [...required.keys(), ...optional.keys()];

/** Settings of installations without .env, which tables of the page list. */
const elsewhere = [...(await read('docs/operations/install.md')).matchAll(/^ *\| `([A-Z_]+)` \|/gm)].map(
  ([, name = '']) => name,
);

/** Variables for building the images, which deploy/ sets. */
const buildArguments = ['VERSION', 'REVISION', 'CREATED'];

/**
 * The variables in the Compose file: `${NAME:-default}`, or `${NAME:?message}` without a default. With an empty default
 * the program's own default applies.
 */
const composeDefaults = new Map(
  [...compose.matchAll(/\$\{([A-Z_]+)(?::-([^}]*))?/g)].map(([, name = '', value]) => [
    name,
    value,
  ]),
);

/** Settings whose default depends on others or comes from Compose. */
const ownDefaults = ['PUBLIC_URL', 'BIND_ADDRESS'];

describe('.env.example', () => {
  it('documents every setting this version reads, beside the pages of other installations', () => {
    expect([...documented, ...elsewhere]).toEqual(expect.arrayContaining(Object.keys(settings)));
  });

  it('names only settings and variables of the Compose files', () => {
    const known = [...Object.keys(settings), ...composeDefaults.keys()];

    expect(documented.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('documents every variable of docker-compose.yml', () => {
    expect([...documented, ...elsewhere, ...buildArguments]).toEqual(expect.arrayContaining([...composeDefaults.keys()]));
  });

  it('leaves what must be filled in empty, first of all, and that is what Compose requires', () => {
    const demanded = [...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name);

    expect([...required.keys()].sort()).toEqual([...new Set(demanded)].sort());
    expect([...required.values()].filter((value) => value !== '')).toEqual([]);
    expect(example.search(/^[A-Z_]+=/m)).toBeLessThan(example.search(/^# [A-Z_]+=/m));
  });

  it('shows the defaults of the code', () => {
    const fallbacks = Object.entries(settings)
      .filter(([name]) => optional.has(name) && !ownDefaults.includes(name))
      .map(([name, setting]) => [name, 'fallback' in setting ? setting.fallback : '']);

    expect(fallbacks.map(([name = '']) => [name, optional.get(name)])).toEqual(fallbacks);
  });

  it('shows the defaults of docker-compose.yml', () => {
    const own = [...composeDefaults].filter(
      ([name, value]) => optional.has(name) && value !== '' && name !== 'TRUST_PROXY',
    );

    expect(own.map(([name]) => [name, optional.get(name)])).toEqual(own);
  });
});

describe('docker-compose.yml', () => {
  it('publishes the metrics server nowhere', () => {
    const published = [...compose.matchAll(/^ +- (\S+):(\d+)$/gm)].map(([, , inside]) => inside);

    expect(compose.match(/^\s*(?:ports|expose):/gm)).toHaveLength(1);
    expect(published).toEqual(['8080', '8443', '3000']);
  });

  it('hands every setting that is no secret to the programs, and no secret', () => {
    const [, block = ''] = /x-settings: &settings\n([\s\S]*?)\n\n/.exec(compose) ?? [];
    const handedOver = [...block.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
    const open = Object.entries(settings).filter(([, setting]) => !('isSecret' in setting));

    const expected = [...open.map(([name]) => name), 'ENV_FILE'];
    expect(handedOver.sort()).toEqual(expected.sort());
  });

  it('gives web the volume of its own secrets, and no other', () => {
    const { services } = parse(compose, { merge: true }) as {
      services: Record<string, { volumes?: readonly string[] }>;
    };
    const readSecretVolumes = (name: string) =>
      (services[name]?.volumes ?? []).filter((volume) => volume.includes('-secrets:'));

    expect(readSecretVolumes('web')).toEqual(['web-secrets:/run/secrets:ro']);
    expect(readSecretVolumes('worker')).toEqual(['site-secrets:/run/secrets:ro']);
  });
});

test('the proxy opens fewer connections to web than web takes', async () => {
  const bounds = [...(await read('deploy/proxy/Caddyfile')).matchAll(/import to-web (\d+)/g)];

  expect(bounds).toHaveLength(3);
  expect(bounds.reduce((sum, [, bound]) => sum + Number(bound), 0)).toBeLessThan(MAX_CONNECTIONS);
});
