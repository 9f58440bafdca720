import { declareTables } from '../../db/table.ts';

export const marketingSegmentsTables = declareTables('marketing/segments', {
  segments: {
    description: 'A segment: rules that select contacts.',
    staffTexts: { columns: { name: 'text', conditions: 'json' } },
    audit: { segments: { noun: 'segment', about: 'nobody', mayName: true } },
  },
  segment_counts: {
    description: 'The number of contacts in a segment, counted once a day.',
  },
  rfm_boundaries: {
    description: 'The boundaries of the scores of recency, number and amount of orders.',
  },
});
