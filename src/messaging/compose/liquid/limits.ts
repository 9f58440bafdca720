/** Processor time of one rendering, and the total characters plus array elements that it may create. */
export interface RenderLimits {
  milliseconds: number;
  memory: number;
}

/** Maximum characters of a template, and bytes of UTF-8 in its output. */
export const MAX_TEMPLATE = 512 * 1024;
export const MAX_OUTPUT = 512 * 1024;

/** LiquidJS shifts tokens off an array, which takes quadratic time in V8: 20,000 tags 64 ms, 100,000 2.5 s. */
export const MAX_TAGS = 20_000;

/**
 * Only templates within these limits are compiled (see thread/compiled.ts): 256 KiB, 2,000 tags and 64 KiB of characters inside tags, which
 * parse in a few milliseconds.
 */
export const VETTED_TEMPLATE = 256 * 1024;
export const VETTED_TAGS = 2_000;
export const VETTED_MARKUP = 64 * 1024;
export const VETTED_LIMITS: RenderLimits = { milliseconds: 20, memory: 1024 * 1024 };
/** Limits for the body of a message, and for its single-line parts. */
export const BODY_LIMITS: RenderLimits = { milliseconds: 300, memory: 2 * 1024 * 1024 };
export const LINE_LIMITS: RenderLimits = { milliseconds: 100, memory: 256 * 1024 };
