import { declareTables } from '../db/table.ts';

export const importsTables = declareTables('imports', {
  imports: {
    description: 'An uploaded file and the outcome of its rows.',
    export: { omitted: 'The history of imports.' },
    staffTexts: { columns: { file_name: 'text', header: 'texts', options: 'json' } },
    audit: { imports: { noun: 'import', about: 'nobody', mayName: true } },
    alsoWrittenBy: ['erasure'],
  },
  import_chunks: {
    description: 'A part of an uploaded file.',
    export: { omitted: 'Files in progress.' },
    alsoWrittenBy: ['erasure'],
  },
  import_findings: {
    description: 'A finding about a row, from the check, the import or the undo.',
    export: { omitted: 'The history of imports.' },
    alsoWrittenBy: ['erasure'],
  },
  import_journal: {
    description: 'What an import wrote, so that it can be undone.',
    export: { omitted: 'The history of imports.' },
    alsoWrittenBy: ['erasure'],
  },
});
