import { respondJson, Refusal, type CrmResponse } from './fake-crm.ts';

/** In every traceback, beside what the caller sent: neither may show up in a log or a record. */
export const ODOO_DEBUG_CANARY = 'debug.canary@odoo.example';

/** Odoo's error form, with the traceback it always sends along. */
export function respondError(status: number, name: string, message: string, sent = ''): CrmResponse {
  const debug = [
    'Traceback (most recent call last):',
    '  File "/opt/odoo/odoo/http.py", line 2212, in _transactioning',
    `    user=${ODOO_DEBUG_CANARY} body=${sent}`,
    `${name}: ${message}`,
  ].join('\n');

  return respondJson(status, { name, message, arguments: [message], context: {}, debug });
}

export function refuse(...error: Parameters<typeof respondError>): never {
  throw new Refusal(respondError(...error));
}

/** What a user may see: wrong values, missing values, wrong arguments. */
export function refuseValue(name: string, message: string, sent: string): never {
  return refuse(422, name, message, sent);
}

/** Where there is no database or no such route, Odoo responds with a page. */
export const notFoundPage: CrmResponse = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n',
};
