import { declareTables } from '../db/table.ts';

export const requestLogTables = declareTables('request-log', {
  api_requests: {
    description: 'A recent request of an API key or signed webhook.',
    export: { omitted: 'Technical: requests of the last days.' },
    retention: { kind: 'requests', createdAt: 'at' },
    audit: { requests: { noun: 'request', about: 'nobody' } },
  },
});
