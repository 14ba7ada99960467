import { Resolver } from 'node:dns/promises';

/** Records by name and type. For example, `'example.net MX'` has lists such as `['10 mx.example.net']`. */
export type Zone = Readonly<Record<string, readonly string[]>>;

/** A resolver that knows only the records of a zone. */
export function makeResolver(zone: Zone): Resolver {
  const find = async (name: string, type: string) => {
    const records = zone[`${name.toLowerCase()} ${type}`] ?? [];
    if (records.length === 0) throw Object.assign(new Error('No data.'), { code: 'ENODATA' });

    return records;
  };

  return Object.assign(new Resolver(), {
    resolve4: (name: string) => find(name, 'A'),
    resolve6: (name: string) => find(name, 'AAAA'),
    resolveNs: (name: string) => find(name, 'NS'),
    resolveMx: async (name: string) =>
      (await find(name, 'MX')).map((record) => {
        const [priority, exchange = ''] = record.split(' ');

        return { priority: Number(priority), exchange };
      }),
    // A long record is sent in parts.
    resolveTxt: async (name: string) => (await find(name, 'TXT')).map((text) => [text.slice(0, 9), text.slice(9)]),
  });
}

/** A resolver whose DNS server doesn't respond. */
export function makeDeafResolver(): Resolver {
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers(['127.0.0.1:1']);

  return resolver;
}
