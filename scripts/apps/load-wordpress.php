<?php
// Loads the blog that content.py made into WordPress. Usage: php load-wordpress.php WORDPRESS CONTENT.json
[, $root, $file] = $argv;
$_SERVER['HTTP_HOST'] = 'blog.test';
$_SERVER['REQUEST_URI'] = '/';
define('WP_INSTALLING', true);
require "$root/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/widgets.php';
$content = json_decode(file_get_contents($file), true, 512, JSON_THROW_ON_ERROR);

wp_install('The Quay', 'admin', 'admin@blog.test', true, '', 'admin');
wp_delete_post(1, true);
wp_delete_post(2, true);
wp_delete_post(3, true);
foreach ([
    'permalink_structure' => '/%year%/%monthnum%/%day%/%postname%/', 'timezone_string' => 'Europe/Athens',
    'page_comments' => 1, 'comments_per_page' => 20, 'thread_comments' => 1, 'thread_comments_depth' => 5,
    'show_avatars' => 0, 'default_pingback_flag' => 0,
] as $name => $value) {
    update_option($name, $value);
}
// What WordPress does on saving for the sake of later visitors only: no mail, no pings, no revisions, no counting one by one.
foreach (['wp_insert_comment', 'transition_comment_status', 'comment_post', 'publish_post', 'post_updated'] as $hook) {
    remove_all_actions($hook);
}
wp_defer_term_counting(true);
wp_defer_comment_counting(true);
wp_suspend_cache_invalidation(true);

$authors = [];
foreach ($content['authors'] as $number => $name) {
    $authors[] = wp_insert_user(['user_login' => "author$number", 'user_pass' => 'x', 'display_name' => $name,
        'user_email' => "author$number@blog.test", 'role' => 'author', 'description' => "Writes for us since 2016."]);
}
$term = fn($taxonomy) => fn($name) => wp_insert_term($name, $taxonomy)['term_id'];
$categories = array_map($term('category'), $content['categories']);
$tags = array_map($term('post_tag'), $content['tags']);

$insert = function (array $entry, string $type) use ($authors) {
    $post = wp_insert_post(wp_slash([
        'post_type' => $type, 'post_title' => $entry['title'], 'post_content' => $entry['content'], 'post_status' => 'publish',
        'post_author' => $authors[$entry['author']], 'post_date_gmt' => $entry['date'],
        'post_date' => get_date_from_gmt($entry['date']),
    ]), true);
    return is_wp_error($post) ? throw new Exception($post->get_error_message()) : $post;
};
$posts = [];
foreach ($content['posts'] as $entry) {
    $entry['content'] = preg_replace_callback('/%POST(\d+)%/', fn($found) => $posts[$found[1]], $entry['content']);
    $posts[] = $post = $insert($entry, 'post');
    wp_set_post_terms($post, array_map(fn($place) => $categories[$place], $entry['categories']), 'category');
    wp_set_object_terms($post, array_map(fn($place) => $tags[$place], $entry['tags']), 'post_tag');
    $comments = [];
    foreach ($entry['comments'] as $number => $comment) {
        $comments[] = wp_insert_comment(wp_slash([
            'comment_post_ID' => $post, 'comment_author' => $comment['author'], 'comment_content' => $comment['text'],
            'comment_author_email' => 'reader@blog.test', 'comment_author_url' => $comment['pingback'] ?? ($number % 5 ? '' : 'http://elsewhere.test/'),
            'comment_type' => isset($comment['pingback']) ? 'pingback' : 'comment', 'comment_approved' => 1,
            'comment_parent' => $comment['parent'] === null ? 0 : $comments[$comment['parent']],
            'comment_date_gmt' => $comment['date'], 'comment_date' => get_date_from_gmt($comment['date']),
        ]));
    }
}
foreach ($content['pages'] as $entry) {
    $insert($entry, 'page');
}
wp_suspend_cache_invalidation(false);
wp_cache_flush();
wp_defer_term_counting(false);
wp_defer_comment_counting(false);

// What stands beside the text of most blogs: as widgets, and in the footer of themes that are made of blocks.
$beside = ['search', 'recent-posts', 'recent-comments', 'archives', 'categories', 'tag_cloud', 'calendar', 'meta', 'pages'];
foreach ($beside as $number => $widget) {
    update_option("widget_$widget", [2 => ['title' => '', 'count' => 0], '_multiwidget' => 1]);
}
wp_set_sidebars_widgets(['wp_inactive_widgets' => [], 'sidebar-1' => array_map(fn($widget) => "$widget-2", $beside)]);
$blocks = '<!-- wp:group {"tagName":"aside"} --><aside class="wp-block-group">' . implode('', array_map(
    fn($block) => "<!-- wp:$block /-->",
    ['search {"label":"Search"}', 'latest-posts', 'latest-comments', 'archives', 'categories', 'tag-cloud', 'calendar', 'loginout {"redirectToCurrent":false}', 'page-list'],
)) . '</aside><!-- /wp:group -->';
foreach (wp_get_themes() as $slug => $theme) {
    $footer = $theme->get_stylesheet_directory() . '/parts/footer.html';
    if (!is_file($footer)) {
        continue;
    }
    $part = wp_insert_post(wp_slash(['post_type' => 'wp_template_part', 'post_status' => 'publish', 'post_name' => 'footer',
        'post_title' => 'Footer', 'post_content' => $blocks . file_get_contents($footer)]));
    wp_set_object_terms($part, $slug, 'wp_theme');
    wp_set_object_terms($part, 'footer', 'wp_template_part_area');
    // Names of parts are unique in a theme, but WordPress sees the theme only now and has made it footer-2.
    $wpdb->update($wpdb->posts, ['post_name' => 'footer'], ['ID' => $part]);
}
echo count($posts), " posts\n";
