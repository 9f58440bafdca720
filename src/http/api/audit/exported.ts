import type { AuditEntry } from '../../../access/audit.ts';
import { HIDDEN } from '../../../access/audit-addresses.ts';
import { withoutPeople } from '../../../access/audit-people.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { operationOf } from './operation.ts';
import type { Values } from './values.ts';

export type ExportEntry = Pick<AuditEntry, 'action' | 'target' | 'details'>;

/** Returns how exports by the endpoint are recorded: `contact.export` of `contact:7`, with the filters of a list. */
export function exportEntryOf(endpoint: Endpoint): (call: Call<Endpoint>) => ExportEntry {
  const { noun, rest, param } = operationOf(endpoint);
  const list = rest.replace(/_?export$/, '');
  return ({ params, query }) => {
    const id = param === null ? undefined : (params as Values)[param];
    const { search, ...filters } = query as Values;
    const shown = withoutPeople(search === undefined ? filters : { ...filters, search: HIDDEN }) as Values;
    return {
      action: `${noun}.export`,
      target: id === undefined ? noun : `${noun}:${String(id)}`,
      details: list === '' ? shown : { ...shown, list },
    };
  };
}
