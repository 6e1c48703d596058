package io.taskexec.examples.cloudillo.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class VariantTest {
    @ParameterizedTest
    @CsvSource({
        "THUMBNAIL, 6000, 4000, 256, 171",
        "STANDARD, 6000, 4000, 720, 480",
        "MEDIUM, 6000, 4000, 1080, 720",
        "HIGH, 6000, 4000, 1620, 1080",
        "EXTRA, 6000, 4000, 3240, 2160",
        "HIGH, 1920, 1080, 1920, 1080",
        "HIGH, 4000, 6000, 1080, 1620",
        "HIGH, 3000, 3000, 1080, 1080",
        "HIGH, 1919, 1079, 1919, 1079",
        "THUMBNAIL, 100000, 10, 256, 1"
    })
    void anImageFillsTheBoxAndKeepsItsProportions(
            Variant variant, int width, int height, int expectedWidth, int expectedHeight) {
        assertThat(variant.sizeFor(new Size(width, height))).isEqualTo(new Size(expectedWidth, expectedHeight));
    }

    @ParameterizedTest
    @EnumSource
    void noImageIsMadeLarger(Variant variant) {
        for (var width = 1; width < 5000; width += 97) {
            for (var height = 1; height < 5000; height += 89) {
                var size = variant.sizeFor(new Size(width, height));
                assertThat(size.width()).isLessThanOrEqualTo(width);
                assertThat(size.height()).isLessThanOrEqualTo(height);
            }
        }
    }

    @Test
    void variantsGrowFromOneToTheNext() {
        var widths = Arrays.stream(Variant.values())
                .map(variant -> variant.sizeFor(new Size(6000, 4000)))
                .toList();

        assertThat(widths).extracting(Size::width).isSorted().doesNotHaveDuplicates();
        assertThat(widths)
                .allSatisfy(size ->
                        assertThat((double) size.width() / size.height()).isCloseTo(1.5, within(0.01)));
    }
}
