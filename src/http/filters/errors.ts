import {
  Busy,
  ImageAddressForbidden,
  ImageHostBlocked,
  ImageMissing,
  ImageTimeout,
  ImageTooLarge,
  ImageTooManyPixels,
  ImageTypeUnsupported,
  ImageUnreachable,
  ImageUnreadable,
  ImageUrlInvalid,
  StrengthNotANumber,
  StrengthOutOfRange,
  UnknownKind,
} from '../../errors.ts'

/** All that a filter endpoint can answer with. */
export const filterErrors = [
  UnknownKind,
  StrengthNotANumber,
  StrengthOutOfRange,
  ImageMissing,
  ImageUrlInvalid,
  ImageHostBlocked,
  ImageAddressForbidden,
  ImageTooLarge,
  ImageTooManyPixels,
  ImageTypeUnsupported,
  ImageUnreadable,
  ImageUnreachable,
  Busy,
  ImageTimeout,
]
