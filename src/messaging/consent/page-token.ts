import type { KeyObject } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { readToken, type TokenContent, type TokenKind } from './tokens.ts';

/** The content of the token in the request's path. Throws not_found for an invalid one. */
export function tokenOf(key: KeyObject, request: { params: unknown }, kind: TokenKind): TokenContent {
  const { token } = request.params as { token: string };
  const content = readToken(key, kind, token);
  if (content === null) throw new AppError('not_found', 'Not found');
  return content;
}
