import { declareTables } from '../db/table.ts';

export const retentionTables = declareTables('retention', {
  retention_progress: {
    description: 'The progress of deleting old rows, by kind of data.',
  },
});
