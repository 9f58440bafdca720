import { expect, it } from 'vitest';
import { ledgerIdOf } from '../../feedback/bounce-report.ts';
import { messageIdEnd, messageIdOf } from './email-content.ts';

const company = { companyId: 1, createdAt: new Date('2026-01-05T10:00:00.123Z') };

it('a Message-ID is of one database: the same message of another one that sends from the domain has another', () => {
  const id = messageIdOf(7, messageIdEnd(company, 'Fernhill@shop.example'));
  expect(id).toMatch(/^<m7\.c1\.[0-9a-z]+@shop\.example>$/);
  expect(messageIdOf(7, messageIdEnd({ ...company }, 'news@shop.example'))).toBe(id);
  const elsewhere = { companyId: 1, createdAt: new Date('2026-01-05T10:00:00.124Z') };
  expect(messageIdOf(7, messageIdEnd(elsewhere, 'news@shop.example'))).not.toBe(id);
});

it('a bounce report that quotes it names the message', () => {
  const id = messageIdOf(7, messageIdEnd(company, 'news@shop.example'));
  expect([ledgerIdOf(id, 1), ledgerIdOf(id.slice(1, -1), 1), ledgerIdOf(id, 2)]).toEqual([7, 7, null]);
});
