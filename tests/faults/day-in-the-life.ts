import { randomUUID } from 'node:crypto';

/**
 * A day in the life of Anna, Ben and Cora, who are assigned requests in turn. A reminder is sent after three hours, and
 * visitors are promised an answer within four. Cora is away until 13:00, and Redis is down from 12:00 to 12:20.
 *
 * Each line is a request: its time and company, the visitor's mail, the recipient of the first mail, the outcomes that
 * sales records through the links in the mails, and the later mails to sales. "somebody" is a person who follows the
 * link in a mail to all, which doesn't reveal who that is. The table omits the mail to all about each outcome, which is
 * sent again if the outcome is undone. Adler Foods sends a second request, and Anna, who got the first, is told.
 */
const DAY = `
came  | from             | visitor gets | first | what sales does                                  | later mails to sales
08:00 | Adler Foods      | thanks       | Anna  | 08:40 Anna: answered                             | 14:30 outcome to Anna
08:10 | Birch Tools      | thanks       | Ben   | 09:00 Ben: answered                              |
08:20 | Cedar Care       | thanks       | Anna  |                                                  | 11:20 reminder to all, 12:20 due to all
08:30 | Dorn Metal       | refused      | Ben   | 11:40 somebody: answered                         | 11:30 reminder to all
08:40 | Elm Press        | thanks       | Anna  | 09:10 Anna: hand to Ben, 10:00 Ben: answered     | 09:10 new to Ben
08:50 | Fern Labs        | thanks       | Ben   | 09:00 Ben: not a fit                             |
09:00 | Gale Freight     | thanks       | Anna  | 09:30 Anna: remind in 2h, 11:50 Anna: answered   | 11:30 reminder to Anna
09:10 | Heath Bank       | thanks       | Ben   | 09:40 Ben: remind at 12:40, 13:00 Ben: answered  | 12:40 reminder to Ben
09:20 | Iris Dental      | thanks       | Anna  | 10:00 Anna: not a fit, 10:00 Anna: undo, 12:30 somebody: answered | 12:20 reminder to all
09:30 | Juniper Hotels   | thanks       | Ben   | 10:10 Ben: hand to Anna, 11:00 Anna: remind past the promise at 15:00, 15:10 somebody: answered | 10:10 new to Anna, 15:00 due to all
09:50 | Kelp Energy      | thanks       | Anna  | 10:20 Anna: answered, 10:20 Anna: undo, 14:00 somebody: answered | 12:50 reminder to all, 13:50 due to all
10:00 | Larch Legal      | thanks       | Ben   | 10:30 Ben: answered                              |
10:10 | Maple Motors     | thanks       | Anna  | 10:40 Anna: answered                             |
10:20 | Nettle Software  | thanks       | Ben   | 11:10 Ben: answered                              |
10:40 | Oak Insurance    | thanks       | Anna  | 11:10 Anna: hand to Ben                          | 11:10 new to Ben, 13:40 reminder to all, 14:40 due to all
10:50 | Pine Schools     | thanks       | Ben   | 11:30 Ben: not a fit                             |
11:00 | Quince Events    | thanks       | Anna  | 11:40 Anna: answered                             |
11:20 | Rowan Clinics    | thanks       | Ben   | 11:50 Ben: answered                              |
11:40 | Sorrel Retail    | thanks       | Anna  | 12:10 Anna: answered                             |
12:00 | Thyme Travel     | thanks       | Ben   | 12:20 Ben: remind in 2h, 14:30 Ben: answered     | 14:20 reminder to Ben
12:10 | Umber Paints     | thanks       | Anna  |                                                  | 15:10 reminder to all, 16:10 due to all
12:20 | Vetch Farms      | thanks       | Ben   | 13:20 Ben: answered                              |
12:50 | Willow Homes     | thanks       | Anna  | 13:30 Anna: hand to Cora, 14:20 Cora: answered   | 13:30 new to Cora
13:00 | Yarrow Pharma    | thanks       | Cora  | 13:50 Cora: answered                             |
13:10 | Zinnia Cosmetics | thanks       | Ben   | 14:10 Ben: answered                              |
13:20 | Alder Yachts     | thanks       | Anna  | 14:00 Anna: not a fit                            |
13:40 | Basil Kitchens   | thanks       | Cora  | 14:10 Cora: hand to Ben, 14:10 Cora: undo, 16:50 somebody: answered | 14:10 new to Ben, 16:40 reminder to all
13:50 | Clover Dairy     | thanks       | Ben   | 14:40 Ben: answered                              |
14:00 | Dill Logistics   | thanks       | Anna  | 15:20 Anna: answered                             |
14:30 | Adler Foods      | had them     | Cora  | 15:30 Cora: answered                             |
14:40 | Flax Textiles    | thanks       | Ben   | 18:20 somebody: answered                         | 17:40 reminder to all
15:00 | Ginger Spices    | thanks       | Anna  | 15:40 Anna: answered                             |
15:20 | Hazel Toys       | thanks       | Cora  | 16:00 Cora: remind at 18:00, 18:10 Cora: answered | 18:00 reminder to Cora
15:30 | Ivy Gardens      | thanks       | Ben   | 16:10 Ben: answered                              |
15:50 | Jasmine Spa      | thanks       | Anna  |                                                  | 18:50 reminder to all, 19:50 due to all
16:00 | Kale Foods       | thanks       | Cora  | 16:30 Cora: answered                             |
16:20 | Lilac Media      | thanks       | Ben   | 17:00 Ben: answered                              |
16:40 | Mint Payments    | thanks       | Anna  | 17:20 Anna: answered                             |
17:10 | Nutmeg Games     | thanks       | Cora  | 17:50 Cora: answered                             |
17:50 | Olive Fashion    | thanks       | Ben   |                                                  | 20:50 reminder to all, 21:50 due to all
`;

/** Returns the minutes from midnight to a time such as `08:40`. */
export const toMinutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
export const toTime = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

export const toAddress = (name: string) => `${name.toLowerCase()}@sales.example`;
/** The three salespeople and their addresses, in the order in which they are assigned requests. */
export const team = ['Anna', 'Ben', 'Cora'].map((name) => [name, toAddress(name)] as const);

/** An outcome that sales records, such as `09:10 Anna: hand to Ben`. */
export interface Deed {
  readonly time: string;
  readonly who: string;
  readonly what: string;
}

export interface Request {
  /** The time of the request, such as `08:40`. */
  readonly came: string;
  readonly company: string;
  readonly id: string;
  readonly email: string;
  readonly deeds: readonly Deed[];
  /** The mails about the request, such as `08:00 new to Anna` and `08:00 thanks to the visitor`. */
  readonly mails: readonly string[];
}

const split = (text: string, separator: string) =>
  text.split(separator).map((part) => part.trim()).filter((part) => part !== '');

function parseDeed(text: string): Deed {
  const [, time = '', who = '', what = ''] = /^(\d\d:\d\d) (\w+): (.+)$/.exec(text) ?? [];
  if (what === '') throw new Error(`The table contains an unreadable outcome: ‘${text}’.`);

  return { time, who, what };
}

function parseRequest(line: string): Request {
  const [came = '', company = '', visitor = '', first = '', deeds = '', later = ''] = line
    .split('|')
    .map((cell) => cell.trim());
  const thanks = visitor === 'thanks' ? [`${came} thanks to the visitor`] : [];
  const parsed = split(deeds, ',').map(parseDeed);
  const outcomes = parsed.map(({ time }) => `${time} outcome to all`);

  return {
    ...{ came, company, id: randomUUID(), deeds: parsed },
    email: `buyer@${company.toLowerCase().replace(' ', '-')}.example`,
    mails: [`${came} new to ${first}`, ...thanks, ...outcomes, ...split(later, ',')],
  };
}

/** The table's requests, in order. */
export const requests = split(DAY, '\n').slice(1).map(parseRequest);
