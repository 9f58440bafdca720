import type { KeyObject } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { readToken, type TokenContent, type TokenKind } from './tokens.ts';

interface LinkRequest {
  params: unknown;
  /** At a tracking host, the companies whose links it serves. */
  linkHolders: ReadonlySet<number> | null;
}

/**
 * Returns the content of the token in the request's path. Throws not_found for an invalid one. A tracking host rejects other companies'
 * links: nobody redirects in another's name.
 */
export function tokenOf(key: KeyObject, request: LinkRequest, kind: TokenKind): TokenContent {
  const { token } = request.params as { token: string };
  const content = readToken(key, kind, token);
  const isServed = content !== null && (request.linkHolders?.has(content.companyId) ?? true);
  if (!isServed) throw new AppError('not_found', 'Not found');
  return content;
}
