package dev.channelkit.consumers;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Looks into jars and class files. */
final class Jars {
  private static final int CONSTANT_UTF8 = 1;

  private Jars() {}

  static List<String> entries(String jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar)) {
      return zip.stream()
          .filter(Predicate.not(ZipEntry::isDirectory))
          .map(ZipEntry::getName)
          .toList();
    }
  }

  static Map<String, byte[]> contents(String jar, String suffix) throws IOException {
    Map<String, byte[]> contents = new TreeMap<>();
    try (ZipFile zip = new ZipFile(jar)) {
      for (ZipEntry entry : zip.stream().toList()) {
        if (entry.getName().endsWith(suffix)) {
          contents.put(entry.getName(), zip.getInputStream(entry).readAllBytes());
        }
      }
    }
    return contents;
  }

  static Map<String, String> texts(String jar, String suffix) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    contents(jar, suffix)
        .forEach((name, bytes) -> texts.put(name, new String(bytes, StandardCharsets.UTF_8)));
    return texts;
  }

  /** Every text of a class file: names of classes and members, descriptors, string constants. */
  static List<String> constants(byte[] classFile) throws IOException {
    List<String> texts = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile))) {
      in.skipNBytes(8);
      int count = in.readUnsignedShort();
      for (int i = 1; i < count; i++) {
        int tag = in.readUnsignedByte();
        switch (tag) {
          case CONSTANT_UTF8 -> texts.add(in.readUTF());
          case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
          case 5, 6 -> {
            in.skipNBytes(8);
            i++; // Long and double count as two.
          }
          case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
          case 15 -> in.skipNBytes(3);
          default -> throw new IOException("Unknown constant " + tag + " at " + i);
        }
      }
    }
    return texts;
  }
}
