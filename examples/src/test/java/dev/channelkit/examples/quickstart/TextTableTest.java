package dev.channelkit.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void names_stand_left_and_figures_right() {
    TextTable table =
        new TextTable("", "bare", "channelkit")
            .row("RPCs", "563", "3,310")
            .row("fetches", "563", "6");
    assertThat(table.toString())
        .isEqualTo(
            """
                     bare  channelkit
            -------------------------
            RPCs      563       3,310
            fetches   563           6
            """);
  }

  @Test
  void a_row_with_too_few_cells_is_refused() {
    TextTable table = new TextTable("", "bare", "channelkit");
    assertThatThrownBy(() -> table.row("RPCs", "563"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 cells in a table of 3 columns");
  }
}
