import { invalidField, validationFailed } from '../../errors.ts';
import type { Renderer } from '../../messaging/compose/renderer.ts';
import { checkDesignSize, liquidTexts } from './design/check.ts';
import type { Design } from './design/schema.ts';

/** The content, and the design from which it was compiled. */
export interface WrittenContent {
  content: string;
  design: Design | null;
}

/** Throws validation_failed unless there is either a content or a design, and for a design that cannot be compiled. */
export async function contentOf(
  renderer: Pick<Renderer, 'syntaxFailures' | 'compileDesign'>,
  companyId: number,
  { content, design = null, channel }: { content?: string; design?: Design | null; channel: 'email' | 'sms' },
): Promise<WrittenContent> {
  if (design === null) {
    if (content === undefined) throw invalidField('content', 'content is required', 'required');
    return { content, design };
  }
  if (content !== undefined) {
    throw invalidField('content', 'content is made from the design: give one of them', 'not_allowed');
  }
  if (channel === 'sms') throw invalidField('design', 'An SMS has no design', 'not_allowed');
  checkDesignSize(design);
  const texts = liquidTexts(design);
  const failures =
    texts.length === 0
      ? []
      : await renderer.syntaxFailures(
          companyId,
          texts.map(({ text }) => text),
        );
  const errors = failures.flatMap((failure, i) => {
    const { path } = texts[i]!;
    return failure === null ? [] : [{ field: path, code: 'invalid', message: `${path}: ${failure.error}` }];
  });
  if (errors.length > 0) throw validationFailed(errors);
  const compiled = await renderer.compileDesign(companyId, design);
  if (compiled === null) throw invalidField('design', 'design takes too long to be made into an e-mail', 'too_long');
  return { content: compiled, design };
}
