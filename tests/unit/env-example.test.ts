import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { MAX_CONNECTIONS } from '../../server/http/connections.ts';
import { settings } from '../../shared/node/config/settings.ts';

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

const example = await read('.env.example');
const compose = await read('docker-compose.yml');

/** Returns the variables in .env.example with their values. */
function readVariables(pattern: RegExp): ReadonlyMap<string, string> {
  return new Map([...example.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]));
}

const required = readVariables(/^([A-Z_]+)=(.*)$/gm);
const optional = readVariables(/^# ([A-Z_]+)=(.*)$/gm);
const documented = [...required.keys(), ...optional.keys()];

/** Settings for installations without .env, which the install guide lists in tables. */
const inInstallGuide = [...(await read('docs/operations/install.md')).matchAll(/^ *\| `([A-Z_]+)` \|/gm)].map(
  ([, name = '']) => name,
);

/** Set by deploy/ when it builds the images. */
const buildArguments = ['VERSION', 'REVISION', 'CREATED'];

/**
 * Variables in the Compose file with their defaults, as in `${NAME:-default}`. `${NAME:?message}` has no default. If the
 * default is empty, the program's own default applies.
 */
const composeDefaults = new Map(
  [...compose.matchAll(/\$\{([A-Z_]+)(?::-([^}]*))?/g)].map(([, name = '', value]) => [
    name,
    value,
  ]),
);

/** Settings whose default depends on other settings or comes from Compose. */
const ownDefaults = ['PUBLIC_URL', 'BIND_ADDRESS'];

describe('.env.example', () => {
  it('documents every setting and every variable of docker-compose.yml, except those in the install guide', () => {
    const expected = [...Object.keys(settings), ...composeDefaults.keys()];

    expect([...documented, ...inInstallGuide, ...buildArguments]).toEqual(expect.arrayContaining(expected));
  });

  it('begins with the variables that Compose requires, and leaves them empty', () => {
    const demandedByCompose = [...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name);

    expect([...required.keys()].sort()).toEqual([...new Set(demandedByCompose)].sort());
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
  it('does not publish the metrics server’s port', () => {
    const published = [...compose.matchAll(/^ +- (\S+):(\d+)$/gm)].map(([, , inside]) => inside);

    expect(compose.match(/^\s*(?:ports|expose):/gm)).toHaveLength(1);
    expect(published).toEqual(['8080', '8443', '3000']);
  });

  it('passes every setting to the programs, except for secrets', () => {
    const [, block = ''] = /x-settings: &settings\n([\s\S]*?)\n\n/.exec(compose) ?? [];
    const passed = [...block.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
    const open = Object.entries(settings).filter(([, setting]) => !('isSecret' in setting));

    const expected = [...open.map(([name]) => name), 'ENV_FILE'];
    expect(passed.sort()).toEqual(expected.sort());
  });

  it('mounts only web’s own secrets into web', () => {
    const { services } = parse(compose, { merge: true }) as {
      services: Record<string, { volumes?: readonly string[] }>;
    };
    const readSecretVolumes = (name: string) =>
      (services[name]?.volumes ?? []).filter((volume) => volume.includes('-secrets:'));

    expect(readSecretVolumes('web')).toEqual(['web-secrets:/run/secrets:ro']);
    expect(readSecretVolumes('worker')).toEqual(['site-secrets:/run/secrets:ro']);
  });
});

test('the proxy opens fewer connections to web than web accepts', async () => {
  const bounds = [...(await read('deploy/proxy/Caddyfile')).matchAll(/import to-web (\d+)/g)];

  expect(bounds).toHaveLength(3);
  expect(bounds.reduce((sum, [, bound]) => sum + Number(bound), 0)).toBeLessThan(MAX_CONNECTIONS);
});
