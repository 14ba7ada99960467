import * as v from 'valibot';
import { refuseValue } from './odoo-responses.ts';
import { requireField, type OdooRecord, type Target } from './odoo-models.ts';

const condition = v.strictTuple([
  v.string(),
  v.picklist(['=', '!=', 'in', 'like', 'ilike', '=like', '=ilike']),
  v.unknown(),
]);
type Condition = v.InferOutput<typeof condition>;

/** Conditions in prefix notation; two that stand side by side must both hold. */
export const domain = v.array(v.union([v.picklist(['&', '|', '!']), condition]));
type Domain = v.InferOutput<typeof domain>;

function holds(record: OdooRecord, [field, operator, wanted]: Condition): boolean {
  const own = record[field] ?? false;
  const ownText = typeof own === 'string' ? own : '';
  const wantedText = typeof wanted === 'string' ? wanted : '';
  switch (operator) {
    case '=':
      return own === wanted;
    case '!=':
      return own !== wanted;
    case 'in':
      return Array.isArray(wanted) && wanted.includes(own);
    case 'like':
      return ownText.includes(wantedText);
    case 'ilike':
      return ownText.toLowerCase().includes(wantedText.toLowerCase());
    case '=like':
      return ownText === wantedText;
    case '=ilike':
      return ownText.toLowerCase() === wantedText.toLowerCase();
  }
}

/** Takes one whole term off the front of `rest`. */
function takeTerm(target: Target, record: OdooRecord, rest: Domain): boolean {
  const term = rest.shift();
  if (term === undefined) {
    return refuseValue('builtins.ValueError', 'Domain is malformed', target.sent);
  }
  if (term === '!') return !takeTerm(target, record, rest);
  if (typeof term === 'string') {
    const [left, right] = [takeTerm(target, record, rest), takeTerm(target, record, rest)];

    return term === '&' ? left && right : left || right;
  }

  return holds(record, term);
}

/** The records for which the whole domain holds; archived ones only if the context asks for them. */
export function findRecords(
  target: Target,
  terms: Domain,
  context: Readonly<Record<string, unknown>> = {},
): OdooRecord[] {
  for (const term of terms) if (typeof term !== 'string') requireField(target, term[0]);

  return target.model.records.filter((record) => {
    const rest = [...terms];
    let fits = record['active'] !== false || context['active_test'] === false;
    while (rest.length > 0) fits = takeTerm(target, record, rest) && fits;

    return fits;
  });
}
