/** What a slice did, and where the next one begins; null at the end. */
export interface SliceResult<Place> {
  done: number;
  next: Place | null;
}

/** One slice of upkeep that has no bound as a whole: a short statement that looks at so many rows behind the place, null at first. */
export type Slice<Place> = (place: Place | null) => Promise<SliceResult<Place>>;
