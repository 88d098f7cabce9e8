package dev.channelkit.spark;

import dev.channelkit.call.SessionKey;
import org.jspecify.annotations.Nullable;

/**
 * Reads ids from encoded messages with the result that parsing them would give.
 *
 * <p>Every field of the top level is visited to the end: of several occurrences the last one
 * counts, so nothing before the end settles an id. That costs no time per byte of a plan or a
 * batch, which are jumped over.
 */
final class EncodedIds {
  private static final int SESSION_ID = WireReader.lengthDelimitedTag(SparkRpc.SESSION_ID_FIELD);
  private static final int USER_CONTEXT =
      WireReader.lengthDelimitedTag(SparkRpc.USER_CONTEXT_FIELD);
  private static final int USER_ID =
      WireReader.lengthDelimitedTag(SparkRpc.USER_ID_FIELD_OF_USER_CONTEXT);

  private EncodedIds() {}

  static @Nullable SessionKey sessionKey(byte[] message) {
    WireReader reader = new WireReader(message);
    String session = null;
    String user = "";
    for (int tag = reader.nextTag(); tag != WireReader.END; tag = reader.nextTag()) {
      if (tag == SESSION_ID) {
        session = reader.string();
      } else if (tag == USER_CONTEXT) {
        // Occurrences merge: one without a user leaves the user of an earlier one.
        user = userId(reader, user);
      } else {
        reader.skip(tag);
      }
    }
    if (reader.corrupt() || session == null || session.isEmpty()) {
      return null;
    }
    return new SessionKey(user, session);
  }

  /**
   * The last value of a string field.
   *
   * @param rivalNumber another string of the same oneof, which empties this one, or NO_FIELD
   */
  static @Nullable String string(byte[] message, int number, int rivalNumber) {
    if (number == SparkRpc.NO_FIELD) {
      return null;
    }
    int wanted = WireReader.lengthDelimitedTag(number);
    int rival = WireReader.lengthDelimitedTag(rivalNumber);
    WireReader reader = new WireReader(message);
    String value = null;
    for (int tag = reader.nextTag(); tag != WireReader.END; tag = reader.nextTag()) {
      if (tag == wanted) {
        value = reader.string();
      } else {
        if (tag == rival) {
          value = null;
        }
        reader.skip(tag);
      }
    }
    return reader.corrupt() || value == null || value.isEmpty() ? null : value;
  }

  private static String userId(WireReader reader, String before) {
    String user = before;
    int outer = reader.enter();
    for (int tag = reader.nextTag(); tag != WireReader.END; tag = reader.nextTag()) {
      if (tag == USER_ID) {
        String read = reader.string();
        user = read == null ? before : read;
      } else {
        reader.skip(tag);
      }
    }
    reader.leave(outer);
    return user;
  }
}
