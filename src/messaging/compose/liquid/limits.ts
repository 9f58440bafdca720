/** Milliseconds of one rendering, and characters plus array elements that it may make in all. */
export interface RenderLimits {
  milliseconds: number;
  memory: number;
}

/** Characters of a template, and bytes of UTF-8 that it may render to. */
export const MAX_TEMPLATE = 512 * 1024;
export const MAX_OUTPUT = 512 * 1024;

/** LiquidJS takes tokens off the front of an array, which V8 does in quadratic time: 20,000 tags 64 ms, 100,000 2.5 s. */
export const MAX_TAGS = 20_000;

/**
 * Many mails are made together, from a form, only of a template below these marks: 256 KiB, 2,000 tags and 64 KiB of
 * characters inside tags, which parse in a few milliseconds.
 */
export const VETTED_TEMPLATE = 256 * 1024;
export const VETTED_TAGS = 2_000;
export const VETTED_MARKUP = 64 * 1024;
export const VETTED_LIMITS: RenderLimits = { milliseconds: 20, memory: 1024 * 1024 };
/** Of the body of a message, and of what is one line of it. */
export const BODY_LIMITS: RenderLimits = { milliseconds: 300, memory: 2 * 1024 * 1024 };
export const LINE_LIMITS: RenderLimits = { milliseconds: 100, memory: 256 * 1024 };
